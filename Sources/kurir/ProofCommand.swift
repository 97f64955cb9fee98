import Curl
import Deliveries
import FoundationEssentials

/// `kurir proof verify`: looks, without a server or a database, whether a proof holds, and what it says.
enum ProofCommand {
    static func verify(_ settings: GivenSettings) throws {
        guard let path = settings.text(.proofFile) else { throw UsageError("which file? kurir proof verify FILE") }
        guard let check = ProofCheck(try read(path)) else { throw DoesNotHold(description: "\(path) is no proof") }
        guard let place = settings.text(.proofKeys) else {
            throw DoesNotHold(
                description: """
                    whose signature is this? Get the keys from whoever signed, at \
                    https://THEIR-SERVER/.well-known/kurir-proof-keys, and name that file or URL by --key
                    """)
        }
        guard let keys = ProofCheck.keys(try isURL(place) ? fetch(place) : read(place)) else {
            throw DoesNotHold(description: "\(place) has no keys")
        }
        var findings = [check.signed(by: keys)] + check.told
        if let directory = settings.text(.proofPhotos) { findings += check.shown(try files(in: directory)) }
        check.said.forEach { print($0) }
        for finding in findings { print("\(finding.holds ? "holds" : "FAILS")  \(finding.what)") }
        if settings.text(.proofPhotos) == nil, !check.pictures.isEmpty {
            print("Its pictures were not looked at, since --photos does not say where they are.")
        }
        guard findings.allSatisfy(\.holds) else { throw DoesNotHold(description: "the proof does not hold") }
        print("The proof holds.")
    }

    private static func isURL(_ place: String) -> Bool { place.hasPrefix("https://") || place.hasPrefix("http://") }

    private static func fetch(_ url: String) throws -> [UInt8] {
        let reply = Transfers<Void>().perform(Transfer(url, nil))
        guard reply.error == nil, reply.status == 200 else {
            throw DoesNotHold(description: "\(url) gives no keys: \(reply.error ?? "it answers \(reply.status)")")
        }
        return reply.body
    }

    private static func read(_ path: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw DoesNotHold(description: "\(path) cannot be read")
        }
        return Array(data)
    }

    private static func files(in directory: String) throws -> [(name: String, bytes: [UInt8])] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: directory) else {
            throw DoesNotHold(description: "\(directory) cannot be read")
        }
        return names.compactMap { name in
            FileManager.default.contents(atPath: "\(directory)/\(name)").map { (name, Array($0)) }
        }
    }
}

/// Why a proof is not believed.
private struct DoesNotHold: Error, CustomStringConvertible {
    let description: String
}
