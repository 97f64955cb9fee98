import EventLoop

/// An HTTP/1.1 server on the loops of a group.
public final class Server: Sendable {
    /// The address that it listens at: the host as configured, and the actual port.
    public let address: ListenAddress
    let loops: LoopLocal<LoopServer>
    private let admission: Admission

    /// Starts to listen. `problem` gives the problem for a handler's error that is not a ``Problem`` already, and `lost` what somebody
    /// sees at an address where there is nothing, if that is not the problem, too.
    public init(
        _ configuration: ServerConfiguration, routes: [Route], on group: EventLoopGroup,
        problem: @escaping @Sendable (any Error) -> Problem? = { _ in nil },
        lost: @escaping @Sendable (Problem, Request) -> Response? = { _, _ in nil },
        observe: @escaping @Sendable (HTTPEvent) -> Void = { _ in }
    ) async throws {
        let responder = Responder(
            words: configuration.words, crossOrigin: CrossOrigin(allowedOrigins: configuration.allowedOrigins),
            problem: problem, lost: lost, observe: observe)
        let identity = try configuration.tls.map { try TLSIdentity($0) }
        let (admission, router) = (Admission(limits: configuration.limits), Router(routes))
        loops = try await LoopLocal(group) { loop in
            LoopServer(
                loop: loop, configuration: configuration, router: router, responder: responder, admission: admission,
                identity: identity)
        }
        self.admission = admission
        let (files, port) = try Sockets.listen(
            configuration.listen, count: group.loops.count, option: configuration.option)
        address = ListenAddress(host: configuration.listen.host, port: port)
        try await loops.onEach { try $0.start(files[$0.loop.index]) }
    }

    /// Throws what listening there would throw now, and listens for a moment only.
    public static func tryOut(_ configuration: ServerConfiguration) throws {
        let (files, _) = try Sockets.listen(configuration.listen, count: 1, option: configuration.option)
        for file in files { Sockets.close(file) }
        if let files = configuration.tls { _ = try TLSContext(files) }
    }

    /// How many connections are open.
    public var openConnections: Int { admission.openConnections }

    /// How many bytes wait for clients to read them.
    public var bytesWaiting: Int { admission.bytesWaiting }

    /// Stops accepting, lets running requests finish, and closes the rest after the grace.
    public func stop(within grace: Duration) async {
        await loops.onEach { await $0.stop(within: grace) }
    }
}
