import Domain
import EventLoop
import Foundation
import HTTP
import TestSupport
import Testing

@testable import API
@testable import Papers

/// Health certificates, read by a function that knows nothing but their text, the keys, the rules and the time.
@Suite struct HealthCertificateTests {
    private static let day: Int64 = 86_400_000

    private func verdict(
        _ name: String, known: KnownPapers? = nil, at now: Moment = .now
    ) async throws -> HealthVerdict {
        let certificates = try await Certificates.made()
        let known = try known ?? certificates.known()
        let certificate = try #require(HealthCertificate(try certificates.code(name)), "\(name)")
        return known.verdict(on: certificate, at: now)
    }

    @Test(arguments: ["", " PS256"])
    func `each kind is what its times and its result make of it, by either signature`(_ algorithm: String) async throws
    {
        let states: [String: PaperState] = [
            "recovery": .valid, "recovery not yet": .notYet, "recovery expired": .expired,
            "vaccination": .valid, "vaccination not yet": .notYet, "vaccination incomplete": .incomplete,
            "vaccination booster": .valid, "vaccination expired": .expired,
            "pcr": .valid, "pcr expired": .expired, "pcr not yet": .notYet, "pcr positive": .positive,
            // The first that holds is what it is.
            "pcr positive and over": .positive, "vaccination incomplete and over": .incomplete,
            "vaccination incomplete and not yet": .incomplete,
            "antigen": .valid, "antigen expired": .expired, "pcr at +02": .valid, "pcr at +0200": .valid,
            "pcr at +02:00": .valid, "pcr expired at +02": .expired, "pcr expired at +0200": .expired,
        ]
        for (name, state) in states {
            let verdict = try await verdict(name + algorithm)
            #expect(verdict.state == state && verdict.isVerified, "\(name)")
        }
    }

    @Test func `whatever was changed or signed by others is forged`() async throws {
        let certificates = try await Certificates.made()
        let forged = certificates.codes.keys.filter { $0.hasPrefix("forged") }
        #expect(forged.count == 8)
        for name in forged {
            let verdict = try await verdict(name)
            #expect(verdict.state == .forged && !verdict.isVerified, "\(name)")
        }
    }

    @Test func `what an unknown key signed is neither good nor forged`() async throws {
        #expect(try await verdict("unknown key").state == .unverified)
        #expect(try await verdict("vaccination", known: .usual).state == .unverified)
        #expect(try await verdict("pcr positive", known: .usual).state == .unverified)
    }

    @Test func `the claims of the certificate bound its time, too`() async throws {
        #expect(try await verdict("expired by its claim").state == .expired)
        #expect(try await verdict("issued later").state == .notYet)
        #expect(try await verdict("good later").state == .notYet)
        #expect(try await verdict("of several doses").state == .valid)
        // It says when it was signed, too, which is no beginning.
        let vaccination = try await verdict("vaccination")
        #expect(vaccination.from.milliseconds % Self.day == 0 && vaccination.until.milliseconds % Self.day == 0)
        #expect(vaccination.until.milliseconds - vaccination.from.milliseconds == 270 * Self.day)
        for name in ["without tags", "with two tags"] { #expect(try await verdict(name).state == .valid, "\(name)") }
    }

    @Test func `time is given and not asked for`() async throws {
        let now = Moment.now
        func later(_ days: Int64) -> Moment { Moment(milliseconds: now.milliseconds + days * Self.day) }
        // A day more than the rules say, since it may be midnight meanwhile.
        #expect(try await verdict("vaccination", at: later(168)).state == .valid)
        #expect(try await verdict("vaccination", at: later(171)).state == .expired)
        #expect(try await verdict("vaccination", at: later(-102)).state == .notYet)
        #expect(try await verdict("recovery not yet", at: later(7)).state == .valid)
        #expect(try await verdict("recovery", at: later(121)).state == .expired)
    }

    /// An issuer may write a beginning that is behind the end. It is signed, so it is kept, but it is never good. Before
    /// yesterday, when it was issued, it is not yet good anyway.
    @Test func `what begins only when it is over is never good`() async throws {
        _ = try await Certificates.made()
        // Which may take a while, and none is issued later than a day before now.
        let now = Moment.now
        for day in Int64(-450)...150 {
            let verdict = try await verdict(
                "recovery contradicting itself", at: Moment(milliseconds: now.milliseconds + day * Self.day))
            #expect(verdict.state == (day < -1 ? .notYet : .expired) && verdict.isVerified, "\(day)")
        }
    }

    @Test func `rules say for how long, and those that are left out are as usual`() async throws {
        let certificates = try await Certificates.made()
        let short = try certificates.known(
            rules: #"{"recovery":{"days":30},"vaccination":{"days":99},"test":{"pcr_hours":70,"antigen_hours":46}}"#)
        for name in ["recovery", "vaccination", "pcr", "antigen"] {
            #expect(try await verdict(name, known: short).state == .expired, "\(name)")
        }
        let long = try certificates.known(rules: #"{"vaccination":{"days":365}}"#)
        #expect(try await verdict("vaccination expired", known: long).state == .valid)
        #expect(try await verdict("pcr expired", known: long).state == .expired)
        for wrong in ["", "[]", #"{"recovery":180}"#, #"{"recovery":{"days":0}}"#, #"{"flu":{"days":1}}"#] {
            #expect(throws: BadPaperFile.self, "\(wrong)") { try certificates.known(rules: wrong) }
        }
    }

    /// An operator who says so twice: the first time hangs at a file, and has read what was there before.
    @Test(.timeLimit(.minutes(10))) func `what was read before never replaces what was read later`() async throws {
        let certificates = try await Certificates.made()
        let (keys, pipe, other) = (
            TemporaryDirectory.path("dcc-keys"), TemporaryDirectory.path("pipe"), TemporaryDirectory.path("other")
        )
        try Data("{}".utf8).write(to: URL(filePath: keys))
        let known = try KnownPapers(.init(keys: keys))
        try #require(mkfifo(pipe, 0o600) == 0 && link(pipe, other) == 0 && rename(other, keys) == 0)
        let first = Task { try await blocking { try known.reread() } }
        // Somebody can write there as soon as somebody reads.
        var writer: Int32 = -1
        try await eventually {
            writer = open(pipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            return writer >= 0
        }
        try Data(certificates.keys).write(to: URL(filePath: other))
        try #require(rename(other, keys) == 0)
        let isDone = Locked(false)
        let second = Task {
            let count = try await blocking { try known.reread() }
            isDone.withLock { $0 = true }
            return count
        }
        // If it waited for nobody, it would be done by then.
        for _ in 0..<50 where !isDone.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(10)) }
        #expect(write(writer, "{}", 2) == 2)
        close(writer)
        #expect(try await first.value == 0)
        #expect(try await second.value == 2)
        #expect(known.state(of: try certificates.code("vaccination"), at: .now) == "valid")
    }

    @Test func `what it says is told as it was written`() async throws {
        let certificates = try await Certificates.made()
        let read = try #require(HealthCertificate(try certificates.code("vaccination")))
        #expect(read.holder == "Zvjezdana Horvatinčić" && read.birthDate == "1987-06-05")
        #expect(read.country == "HR" && read.issuer == "Ministry of Health")
        guard case .vaccination(let vaccination) = read.event.kind else {
            Issue.record("another kind")
            return
        }
        #expect(vaccination.product == "EU/1/20/1528" && (vaccination.dose, vaccination.doses) == (2, 2))
    }

    @Test func `whatever is cut, blown up or made up is none`() async throws {
        let certificates = try await Certificates.made()
        #expect(certificates.broken.count > 60)
        for (name, code) in certificates.broken { #expect(HealthCertificate(code) == nil, "\(name)") }
        #expect(try await verdict("nearly 64 KiB").state == .valid)
        let whole = try certificates.code("vaccination")
        for count in 0..<whole.utf8.count { #expect(HealthCertificate(String(whole.prefix(count))) == nil, "\(count)") }
        #expect(HealthCertificate("HC2:" + whole.dropFirst(4)) == nil && HealthCertificate(" " + whole) == nil)
    }

    @Test func `keys are taken from where they are meant, or not at all`() throws {
        let curve =
            #"{"Y3VydmUtMDE=":"MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAELy8cU9aRRByn4LCRRcMUp6M0D8BIPIGcHCNZjZ7FA7oPXw/UY9LiztzS7ilwf2fR4B5v0PiFEOiC2ruXXu8Jog=="}"#
        #expect(TrustedKeys(Array(curve.utf8))?.count == 1)
        #expect(TrustedKeys(Array("{}".utf8))?.count == 0)
        for wrong in [
            "", "[]", #"{"a b":"MFkw"}"#, #"{"YQ==":"MFkw"}"#, #"{"YQ==":1}"#, curve.replacing("Jog==", with: "Jog="),
        ] {
            #expect(TrustedKeys(Array(wrong.utf8)) == nil, "\(wrong)")
        }
    }
}
