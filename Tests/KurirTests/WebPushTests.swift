import Crypto
import Curl
import Domain
import Foundation
import HTTP
import TestSupport
import Testing

@testable import Gateways

/// Push to browsers, against a push service that reads what it gets as a browser would.
@Suite(.timeLimit(.minutes(10))) struct WebPushTests {
    private let key = PrivateKey.onCurve()

    private func push(hosts: Set<String> = ["127.0.0.1"]) -> WebPush {
        WebPush(key: key, contact: "https://kurir.example", hosts: hosts)
    }

    private func message(
        _ receivers: Receivers, to name: String, kind: String = "delivery_offered", body: String = "Ilica 1",
        attempt: Int = 1, isCut: Bool = false, secondsLeft: Int? = 90
    ) throws -> Claimed {
        let keys = #"{"p256dh": "\#(try receivers.told("p256dh"))", "auth": "\#(try receivers.told("auth"))"}"#
        let data = #"{"delivery_id": "01a1fc35-081c-7c93-9601-9d67685da334", "keys": \#(keys)}"#
        var message = Claimed(
            id: "01a1fc35-0abc-7f2d-a32f-2247403d9135", lease: "", kind: kind, channel: "push",
            address: try receivers.told("webpush") + "/" + name, platform: "webpush", language: "hr",
            title: "Nova dostava",
            body: body, data: data, attempt: attempt, createdAt: "", secondsLeft: secondsLeft)
        message.isCut = isCut
        return message
    }

    private func send(_ message: Claimed, by push: WebPush, _ receivers: Receivers) async throws -> Verdict {
        let file = TemporaryDirectory.path("push-ca.pem")
        try receivers.told("ca").write(toFile: file, atomically: true, encoding: .utf8)
        var transfer = try push.transfer(of: message)
        transfer.certificates = file
        return try await blocking { [transfer] in push.verdict(on: Transfers<Void>().perform(transfer)) }
    }

    @Test func `a browser reads what was sent, and knows by whom`() async throws {
        try await Receivers.running { receivers in
            #expect(try await send(try message(receivers, to: "ana"), by: push(), receivers) == .done)
            let arrived = try #require(receivers.arrived(at: "webpush").first)
            #expect(arrived["name"].string == "ana")
            #expect(
                arrived["payload"]["title"].string == "Nova dostava" && arrived["payload"]["body"].string == "Ilica 1")
            #expect(arrived["payload"]["data"]["delivery_id"].string == "01a1fc35-081c-7c93-9601-9d67685da334")
            #expect(arrived["payload"]["data"]["keys"] == nil)
            #expect(arrived["head"]["TTL"].string == "90" && arrived["head"]["Urgency"].string == "high")
            #expect(arrived["head"]["Topic"].string == "01a1fc35081c7c9396019d67685da334")
            #expect(arrived["claims"]["sub"].string == "https://kurir.example")
            #expect(arrived["claims"]["aud"].string == (try receivers.told("webpush")))
        }
    }

    @Test func `offers, cancellations and messages are urgent, and nothing else is`() async throws {
        try await Receivers.running { receivers in
            let urgent = try NotificationKind.allCases.filter { kind in
                let transfer = try push().transfer(of: try message(receivers, to: "ana", kind: kind.rawValue))
                return transfer.headers.contains { $0 == ("Urgency", "high") }
            }
            #expect(Set(urgent) == [.deliveryOffered, .deliveryCancelled, .messageReceived])
        }
    }

    @Test func `what a push service answers is heeded`() async throws {
        try await Receivers.running { receivers in
            func verdict(_ name: String, isCut: Bool = false, body: String = "Ilica 1") async throws -> Verdict {
                // What is tried again for another reason is as long as before.
                let message = try message(
                    receivers, to: name, kind: "invite", body: body, attempt: 2, isCut: isCut, secondsLeft: nil)
                return try await send(message, by: push(), receivers)
            }
            for gone in ["404", "410"] {
                guard case .unregistered = try await verdict(gone) else {
                    Issue.record("\(gone) does not forget the device")
                    continue
                }
            }
            for busy in ["429", "503"] {
                guard case .later(_, after: 13) = try await verdict(busy) else {
                    Issue.record("\(busy) is not tried when it was said")
                    continue
                }
            }
            // What is too long, and only that, is sent shorter.
            let long = String(repeating: "Ilica čćž 🍋 ", count: 400)
            guard case .tooLong = try await verdict("short", body: long) else {
                Issue.record("413 is not called too long")
                return
            }
            #expect(try await verdict("short", isCut: true, body: long) == .done)
            let sizes = receivers.arrived(at: "webpush").suffix(2).map { $0["size"].integer ?? 0 }
            #expect(sizes.count == 2 && (4000...4096).contains(sizes[0]) && sizes[1] <= 1103)
            let last = try #require(receivers.arrived(at: "webpush").last)
            #expect(last["payload"]["body"].string?.hasSuffix("…") == true)
            #expect(last["head"]["TTL"].string == "86400" && last["head"]["Urgency"].string == "normal")
            // Also what is short already: some services take less.
            for isCut in [false, true] { _ = try await verdict("ana", isCut: isCut, body: "Ilica 1, na katu") }
            let short = receivers.arrived(at: "webpush").suffix(2).map { $0["size"].integer ?? 0 }
            #expect(short[1] < short[0])
        }
    }

    /// A stranger could name an address inside, or a name that leads there.
    @Test func `nothing is sent into a network of one's own`() async throws {
        try await Receivers.running { receivers in
            guard case .later = try await send(try message(receivers, to: "ana"), by: push(hosts: []), receivers) else {
                Issue.record("it was sent")
                return
            }
            #expect(receivers.arrived(at: "webpush").isEmpty)
        }
    }

    @Test(arguments: [
        "127.0.0.1", "10.1.2.3", "172.31.255.255", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255", "::1", "::", "fe80::1", "fd00::1", "ff02::1", "::ffff:10.0.0.1", "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "2001:db8::1",
    ])
    func `addresses that are not of the internet are known`(_ text: String) throws {
        #expect(try #require(IPAddress(text)).isPublic == false)
    }

    @Test(arguments: ["8.8.8.8", "172.32.0.1", "193.198.184.130", "2a00:1450:4001:82a::200e"])
    func `addresses of the internet are known`(_ text: String) throws {
        #expect(try #require(IPAddress(text)).isPublic)
    }

    @Test func `a subscription without keys is given up with its device`() async throws {
        try await Receivers.running { receivers in
            let whole = try message(receivers, to: "ana")
            for (address, data) in [(whole.address, "{}"), ("http://127.0.0.1/x", whole.data), ("", whole.data)] {
                let broken = Claimed(
                    id: whole.id, lease: "", kind: whole.kind, channel: "push", address: address, platform: "webpush",
                    language: "hr", title: "", body: "", data: data, attempt: 1, createdAt: "", secondsLeft: nil)
                #expect {
                    try push().transfer(of: broken)
                } throws: {
                    if case .unregistered = $0 as? Verdict { true } else { false }
                }
            }
        }
    }
}
