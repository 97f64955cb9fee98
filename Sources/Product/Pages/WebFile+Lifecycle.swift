import Domain
import HTTP
import Web

extension WebFile {
    /// What the pages must know of deliveries and events: the statuses in order, why couriers
    /// give back, why a parcel could not be handed over, every type that some room publishes,
    /// and how long a search may be.
    static func lifecycle(eventTypes: [String]) -> WebFile {
        let statuses = JSON.array(DeliveryStatus.allCases.map { .string($0.rawValue) })
        let reasons = JSON.array(ReturnReason.allCases.map { .string($0.rawValue) })
        let failures = JSON.array(FailReason.allCases.map { .string($0.rawValue) })
        let types = JSON.array(eventTypes.map(JSON.string))
        let source = """
            export const statuses = \(String(decoding: statuses.bytes, as: UTF8.self));
            export const returnReasons = \(String(decoding: reasons.bytes, as: UTF8.self));
            export const failReasons = \(String(decoding: failures.bytes, as: UTF8.self));
            export const eventTypes = \(String(decoding: types.bytes, as: UTF8.self));
            export const longestSearch = \(Bounds.search);

            """
        return WebFile("lifecycle.js", Array(source.utf8))
    }
}
