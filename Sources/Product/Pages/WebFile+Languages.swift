import HTTP
import Languages
import Web

extension WebFile {
    /// The texts of the pages by language and name, and the names of the languages.
    static let languages = WebFile("languages.js", Array(source.utf8))

    private static var source: String {
        let names = JSON.object(Dictionary(uniqueKeysWithValues: Languages.all.map { ($0.code, .string($0.name)) }))
        let all = JSON.object(Dictionary(uniqueKeysWithValues: Languages.all.map { ($0.code, texts(of: $0)) }))
        return """
            export const names = \(String(decoding: names.bytes, as: UTF8.self));
            export const all = \(String(decoding: all.bytes, as: UTF8.self));

            """
    }

    /// What the service worker says, by language: it has no other way to the texts.
    static let wordsOfNotices = JSON.object(
        Dictionary(
            uniqueKeysWithValues: Languages.all.map { words in
                func text(_ name: String) -> (String, JSON) { (name, .string(words.pages[name] ?? "")) }
                let said = [
                    text("do_accept"), text("look"), text("done_accept"), text("willBeSent"), text("offerGone"),
                ]
                return (words.code, .object(Dictionary(uniqueKeysWithValues: said)))
            }))

    /// The texts by name; a text with plural forms is an object of them.
    private static func texts(of words: LanguageWords) -> JSON {
        var texts: [String: JSON] = [:]
        for (name, text) in words.pages {
            let parts = name.split(separator: ".").map(String.init)
            guard parts.count == 2 else {
                texts[name] = .string(text)
                continue
            }
            guard case .object(var forms) = texts[parts[0], default: .object([:])] else { continue }
            forms[parts[1]] = .string(text)
            texts[parts[0]] = .object(forms)
        }
        return .object(texts)
    }
}
