import Crypto
import Curl
import Glibc
import HTTP

/// E-mail by SMTP.
struct Mail: Provider {
    let url: String
    let sender: String
    let login: (user: String, password: String)?
    let mayBePlain: Bool

    func transfer(of message: Claimed) -> Transfer {
        var transfer = Transfer(url, compose(message))
        transfer.mail = (sender, message.address)
        transfer.login = login
        transfer.mayBePlain = mayBePlain
        return transfer
    }

    func verdict(on reply: Transfer.Reply) -> Verdict {
        switch reply.status {
        case 200..<300 where reply.error == nil: .done
        // The mailbox is at fault, or the mail. A wrong login, or a server that takes nothing from us, is not the message's fault.
        case 550...554 where reply.isOfMail:
            .never(reply.complaint)
        default: reply.passing
        }
    }

    /// A mail by RFC 5322. Its text is in base64, so that no server on the way changes it.
    private func compose(_ message: Claimed) -> [UInt8] {
        let domain = sender.split(separator: "@").last.map(String.init) ?? "localhost"
        let head = [
            "Date: \(Self.date(time(nil)))", "From: <\(sender)>", "To: <\(message.address)>",
            "Subject: \(Self.words(message.title))", "Message-ID: <\(message.id)@\(domain)>", "MIME-Version: 1.0",
            "Content-Language: \(message.language)", "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: base64", "Auto-Submitted: auto-generated",
        ]
        let text = Base64.encode(Array((message.body + "\n").utf8))
        let lines = stride(from: 0, to: text.utf8.count, by: 76).map { start in
            String(decoding: Array(text.utf8)[start..<min(start + 76, text.utf8.count)], as: UTF8.self)
        }
        return Array((head + [""] + lines + [""]).joined(separator: "\r\n").utf8)
    }

    /// A text in a header, by RFC 2047: words of at most 75 characters, none of which splits a character.
    static func words(_ text: String) -> String {
        var words: [[UInt8]] = [[]]
        for character in text where !character.isNewline {
            if words[words.count - 1].count + character.utf8.count > 39 { words.append([]) }
            words[words.count - 1] += Array(character.utf8)
        }
        return words.map { "=?utf-8?B?\(Base64.encode($0))?=" }.joined(separator: "\r\n ")
    }

    private static func date(_ seconds: Int) -> String {
        var (seconds, parts) = (seconds, tm())
        gmtime_r(&seconds, &parts)
        // Names of days and months are English, whatever the process's locale.
        let day = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][Int(parts.tm_wday)]
        let month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][
            Int(parts.tm_mon)]
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { ($0 < 10 ? "0" : "") + String($0) }
        return "\(day), \(parts.tm_mday) \(month) \(1900 + parts.tm_year) \(clock.joined(separator: ":")) +0000"
    }
}
