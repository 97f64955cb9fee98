import API
import Domain
import HTTP
import Languages

/// The language of a page for people without a session: the one that was chosen on it, else the browser's.
struct ChosenLanguage {
    static let parameter = Endpoint.Parameter(
        name: "language", shape: .string(most: 10), what: "One of those of /v1/about.")

    let words: LanguageWords
    /// Whether somebody has chosen it: then it goes along with links, else whoever follows them keeps to what was chosen before.
    let isChosen: Bool

    init(_ words: LanguageWords, isChosen: Bool) {
        (self.words, self.isChosen) = (words, isChosen)
    }

    init(of request: Request) {
        let chosen = request.query(Self.parameter.name)
        let language = chosen.map { Language(rawValue: $0) ?? .fallback } ?? request.acceptedLanguage
        self.init(language.words, isChosen: chosen != nil)
    }

    /// What takes it along with a link.
    var query: String { isChosen ? "?\(Self.parameter.name)=\(words.code)" : "" }

    /// Links to the same page in each language.
    var links: String {
        // By their codes, as pages have them.
        Languages.all.sorted { $0.code < $1.code }.map { other in
            let isThis = other.code == words.code ? " aria-current=\"true\"" : ""
            let name = HTMLPage.escaped(other.name)
            return
                "<a href=\"?\(Self.parameter.name)=\(other.code)\" hreflang=\"\(other.code)\" lang=\"\(other.code)\"\(isThis)>\(name)</a>"
        }.joined()
    }
}
