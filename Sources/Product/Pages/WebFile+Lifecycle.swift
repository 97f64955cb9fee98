import Domain
import HTTP
import Web

extension WebFile {
    /// What the pages must know of deliveries and events: the statuses in order, which of them are open or carried, why couriers
    /// give back, why a parcel could not be handed over, every type that some room publishes,
    /// and how long a search may be.
    static func lifecycle(eventTypes: [String]) -> WebFile {
        let lists = [
            ("statuses", DeliveryStatus.allCases.map(\.rawValue)),
            ("openStatuses", DeliveryStatus.allCases.filter(\.isOpen).map(\.rawValue)),
            ("carriedStatuses", DeliveryStatus.allCases.filter(\.isCarried).map(\.rawValue)),
            ("returnReasons", ReturnReason.allCases.map(\.rawValue)),
            ("failReasons", FailReason.allCases.map(\.rawValue)), ("eventTypes", eventTypes),
        ].map { name, values in
            "export const \(name) = \(String(decoding: JSON.array(values.map(JSON.string)).bytes, as: UTF8.self));"
        }
        let source = (lists + ["export const longestSearch = \(Bounds.search);", ""]).joined(separator: "\n")
        return WebFile("lifecycle.js", Array(source.utf8))
    }
}
