import Curl

/// SMS by posting a form, as Twilio and many others take it.
struct TextMessages: Provider {
    let base: String
    let account, token, sender: String

    func transfer(of message: Claimed) -> Transfer {
        let form = [("To", message.address), ("From", sender), ("Body", message.body)]
        let text = form.map { "\($0)=\(percentEncoded($1))" }.joined(separator: "&")
        var transfer = Transfer(
            "\(base)/2010-04-01/Accounts/\(percentEncoded(account))/Messages.json", Array(text.utf8))
        transfer.headers = [("Content-Type", "application/x-www-form-urlencoded")]
        transfer.login = (account, token)
        return transfer
    }

    func verdict(on reply: Transfer.Reply) -> Verdict {
        switch reply.status {
        case 200..<300: .done
        // The number or the text is at fault. Wrong settings are answered with 401, 403 and 404.
        case 400: .never(reply.complaint)
        default: reply.passing
        }
    }
}
