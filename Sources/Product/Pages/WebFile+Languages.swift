import Domain
import HTTP
import Languages
import Web

extension WebFile {
    /// The names of the languages, and the texts of the pages by name, each language by itself: a page loads the one that is
    /// spoken. What only views say that are loaded later is loaded later, too.
    static let languages: [WebFile] = {
        let names = JSON.object(Dictionary(uniqueKeysWithValues: Languages.all.map { ($0.code, .string($0.name)) }))
        let first = SaidFirst(by: [.dashboard, .courier])
        return [WebFile("languages.js", module("const names =", names))]
            + Languages.all.flatMap { words in
                let (texts, name) = (texts(of: words), "language-\(words.code)")
                let (atFirst, later) = (texts.filter { first.says($0.key) }, texts.filter { !first.says($0.key) })
                return [
                    WebFile("\(name).js", module("default", .object(atFirst))),
                    WebFile("\(name).json", JSON.object(later).bytes),
                ]
            }
    }()

    private static func module(_ name: String, _ value: JSON) -> [UInt8] {
        Array("export \(name) ".utf8) + value.bytes + Array(";\n".utf8)
    }

    /// What the service worker says, by language: it has no other way to the texts.
    static let wordsOfNotices = JSON.object(
        Dictionary(
            uniqueKeysWithValues: Languages.all.map { words in
                func text(_ name: String) -> (String, JSON) { (name, .string(words.pages[name] ?? "")) }
                let said = [
                    text("do_accept"), text("look"), text("done_accept"), text("willBeSent"), text("offerGone"),
                    text("byTime"),
                ]
                return (words.code, .object(Dictionary(uniqueKeysWithValues: said)))
            }))

    /// What the names of texts begin with that only pages say which the server writes.
    private static let ofServedPages = ["start_", "undo_", "undone_", "invite_over", "invite_unknown", "track_"]

    /// Whether that is the title of a message about a delivery: its store's page calls it what it is called where it arrives.
    private static func isOfDelivery(_ kind: String) -> Bool {
        (kind.hasPrefix("delivery_") || kind == NotificationKind.attemptFailed.rawValue) && !kind.contains(".")
    }

    /// The texts by name; a text with plural forms is an object of them.
    private static func texts(of words: LanguageWords) -> [String: JSON] {
        var texts = Dictionary(
            uniqueKeysWithValues: words.messages.filter { isOfDelivery($0.key) }.map {
                ("notice_\($0)", JSON.string($1))
            })
        for (name, text) in words.pages where !ofServedPages.contains(where: name.hasPrefix) {
            let parts = name.split(separator: ".").map(String.init)
            guard parts.count == 2 else {
                texts[name] = .string(text)
                continue
            }
            guard case .object(var forms) = texts[parts[0], default: .object([:])] else { continue }
            forms[parts[1]] = .string(text)
            texts[parts[0]] = .object(forms)
        }
        return texts
    }
}
