import Curl
import HTTP

/// `kurir health`: asks the Kurir that has the same settings whether it is ready, as containers' health checks want it.
enum HealthCommand {
    /// Prints what is answered, and fails if that is not yes.
    static func run(_ settings: GivenSettings) throws {
        let admin = try AdminAddress(settings).address
        let address = try admin ?? Configuration.listen(settings)
        let scheme = try admin == nil && TLSFiles(settings) != nil ? "https" : "http"
        var transfer = Transfer("\(scheme)://\(reachable(address))/readyz", nil)
        transfer.isToOurselves = true
        let reply = Transfers<Void>().perform(transfer)
        guard reply.error == nil else {
            throw NotReady(description: "\(address) does not answer: \(reply.error ?? "")")
        }
        print(String(decoding: reply.body, as: UTF8.self))
        guard reply.status == 200 else { throw NotReady(description: "\(address) is not ready") }
    }

    /// A server that listens at every address is asked at the machine's own.
    private static func reachable(_ address: ListenAddress) -> ListenAddress {
        switch address.host {
        case "0.0.0.0": ListenAddress(host: "127.0.0.1", port: address.port)
        case "::": ListenAddress(host: "::1", port: address.port)
        default: address
        }
    }
}

/// Why a Kurir is not ready.
private struct NotReady: Error, CustomStringConvertible {
    let description: String
}
