import HTTP

/// Where operators are answered.
enum AdminAddress: Sendable {
    /// The usual address, which is done without where somebody else has it.
    case usual
    /// An address that was asked for.
    case asked(ListenAddress)
    case off

    private static let usualAddress = ListenAddress(host: "127.0.0.1", port: 9464)

    init(_ settings: GivenSettings) throws {
        let given = try settings.value(.adminListen, expected: "HOST:PORT, as in 127.0.0.1:9464, or off") { text in
            // Not everybody's business, so that an address that is left out is the machine's own.
            text == "off" ? .off : ListenAddress(text.hasPrefix(":") ? "127.0.0.1" + text : text).map(Self.asked)
        }
        self = given ?? .usual
    }

    /// Refuses an address that was asked for and is taken.
    func tryOut() throws {
        guard case .asked(let address) = self else { return }
        try Server.tryOut(Self.configuration(at: address))
    }

    static func configuration(at address: ListenAddress) -> ServerConfiguration {
        var configuration = ServerConfiguration(listen: address)
        configuration.option = "--admin-listen"
        return configuration
    }

    /// The address; nil if it is off.
    var address: ListenAddress? {
        switch self {
        case .usual: Self.usualAddress
        case .asked(let address): address
        case .off: nil
        }
    }
}
