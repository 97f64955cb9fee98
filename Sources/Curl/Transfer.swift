import CCurl
import Crypto
import Glibc
import HTTP

/// Something that goes out over the network: a POST, a mail, a GET, or another method.
public struct Transfer: Sendable {
    /// Where it goes, and by which protocol.
    public var url: String
    /// The method, where it is neither a GET nor a POST.
    public var method: String?
    /// The headers of a request.
    public var headers: [(name: String, value: String)] = []
    /// The POST's body, or the whole mail; nil for a GET.
    public var body: [UInt8]?
    /// Name and password, where the other side wants them.
    public var login: (user: String, password: String)?
    /// The region of Amazon's, or of whoever speaks like it, for which the login signs the request to S3.
    public var region: String?
    /// Whether it must use HTTP/2.
    public var needsHTTP2 = false
    /// A file of the certificates to trust, besides the system's.
    public var certificates: String?
    /// How many milliseconds it may take.
    public var patience = 15_000
    /// How many bytes of the answer are read, and the rest skipped; with zero the connection breaks when the answer comes.
    public var mostRead = 65_536
    /// Whether the transfer fails as soon as the answer is longer than that.
    public var failsWhenLonger = false
    /// Whether the transfer fails when for ten seconds hardly anything has come: less than a line of text a second.
    public var failsWhenSlow = false
    /// Whether a mail may go without TLS, where the server does not offer it.
    public var mayBePlain = false
    /// Whether a stranger named the URL, so that it must not lead into a network of one's own.
    public var isForStranger = false
    /// Whether it goes to this machine, whose certificate is for the name by which others know it.
    public var isToOurselves = false
    /// Sender and recipient, when it is a mail.
    public var mail: (from: String, to: String)?

    /// A transfer of that body to that URL.
    public init(_ url: String, _ body: [UInt8]?) {
        self.url = url
        self.body = body
    }

    /// The answer to it.
    public struct Reply: Sendable {
        /// HTTP's status or SMTP's code; 0 when there was none.
        public var status: Int
        /// After how many seconds to try again, if the answer said so.
        public var retryAfter: Int?
        /// What was answered, if it was not too long.
        public var body: [UInt8]
        /// Why there is no answer.
        public var error: String?
        /// Of a mail, whether it was its recipient that was refused, or what it says: neither the sender, nor whoever brings it.
        public var isOfMail = false
    }
}

/// One transfer on its way: what libcurl reads of it and writes for it.
final class RunningTransfer {
    private let handle: UnsafeMutableRawPointer
    private let transfer: Transfer
    private var headers: UnsafeMutablePointer<curl_slist>?
    private var recipients: UnsafeMutablePointer<curl_slist>?
    private let flow: Flow
    /// Where libcurl writes what went wrong, with the command that was refused.
    private let trouble = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    /// The bytes to send, and those received.
    final class Flow {
        var unsent: ArraySlice<UInt8>
        var received: [UInt8] = []
        let most: Int
        let failsWhenLonger: Bool

        init(_ transfer: Transfer) {
            (unsent, most) = ((transfer.body ?? [])[...], transfer.mostRead)
            failsWhenLonger = transfer.failsWhenLonger
        }

        /// Takes a part of the answer; false when the transfer is to be broken off.
        func take(_ part: UnsafeRawBufferPointer) -> Bool {
            let room = most - received.count
            received.append(contentsOf: part.prefix(room))
            return most > 0 && (!failsWhenLonger || part.count <= room)
        }
    }

    init(_ transfer: Transfer, _ handle: UnsafeMutableRawPointer) {
        self.transfer = transfer
        self.handle = handle
        flow = Flow(transfer)
        trouble.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, trouble)
        setBounds()
        setFlow()
        if let mail = transfer.mail { setMail(mail) } else { setRequest() }
    }

    deinit {
        trouble.deallocate()
        curl_slist_free_all(headers)
        curl_slist_free_all(recipients)
    }

    private func setBounds() {
        ccurl_set_text(handle, CURLOPT_URL, transfer.url)
        ccurl_set_text(handle, CURLOPT_PROTOCOLS_STR, transfer.mail == nil ? "http,https" : "smtp,smtps")
        ccurl_set_number(handle, CURLOPT_NOSIGNAL, 1)
        ccurl_set_number(handle, CURLOPT_CONNECTTIMEOUT_MS, 5_000)
        ccurl_set_number(handle, CURLOPT_TIMEOUT_MS, transfer.patience)
        if transfer.failsWhenSlow {
            ccurl_set_number(handle, CURLOPT_LOW_SPEED_LIMIT, 100)
            ccurl_set_number(handle, CURLOPT_LOW_SPEED_TIME, 10)
        }
        if transfer.isForStranger { ccurl_set_opener(handle, openPublicly) }
        if transfer.isToOurselves {
            ccurl_set_number(handle, CURLOPT_SSL_VERIFYPEER, 0)
            ccurl_set_number(handle, CURLOPT_SSL_VERIFYHOST, 0)
        }
        // A file takes the place of the system's file alone: what is trusted anyway is in the directory, too.
        ccurl_set_text(handle, CURLOPT_CAPATH, "/etc/ssl/certs")
        if let certificates = transfer.certificates { ccurl_set_text(handle, CURLOPT_CAINFO, certificates) }
        if let login = transfer.login {
            ccurl_set_text(handle, CURLOPT_USERNAME, login.user)
            ccurl_set_text(handle, CURLOPT_PASSWORD, login.password)
        }
        if let region = transfer.region { ccurl_set_text(handle, CURLOPT_AWS_SIGV4, "aws:amz:\(region):s3") }
    }

    private func setFlow() {
        let context = Unmanaged.passUnretained(flow).toOpaque()
        ccurl_set_pointer(handle, CURLOPT_WRITEDATA, context)
        ccurl_set_transfer(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            let flow = Unmanaged<Flow>.fromOpaque(context!).takeUnretainedValue()
            return flow.take(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
        }
        ccurl_set_pointer(handle, CURLOPT_READDATA, context)
        ccurl_set_transfer(handle, CURLOPT_READFUNCTION) { bytes, size, count, context in
            let flow = Unmanaged<Flow>.fromOpaque(context!).takeUnretainedValue()
            let part = flow.unsent.prefix(size * count)
            UnsafeMutableRawBufferPointer(start: bytes, count: size * count).copyBytes(from: part)
            flow.unsent = flow.unsent.dropFirst(part.count)
            return part.count
        }
    }

    private func setRequest() {
        if let body = transfer.body { setPost(body) }
        if let method = transfer.method { ccurl_set_text(handle, CURLOPT_CUSTOMREQUEST, method) }
        if transfer.needsHTTP2 {
            ccurl_set_number(handle, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
            // Wait for a connection that is being made, and share it.
            ccurl_set_number(handle, CURLOPT_PIPEWAIT, 1)
        }
        for (name, value) in transfer.headers + ownHeaders {
            headers = curl_slist_append(headers, value.isEmpty ? name + ":" : "\(name): \(value)")
        }
        ccurl_set_pointer(handle, CURLOPT_HTTPHEADER, headers)
    }

    private var ownHeaders: [(name: String, value: String)] {
        // The body is sent without asking first whether it may come.
        guard transfer.region != nil else { return [("Expect", "")] }
        // libcurl would sign the header that it leaves out; and without this one S3 does not know what was signed.
        return [("x-amz-content-sha256", hexadecimal(SHA256.hash(transfer.body ?? [])))]
    }

    private func setPost(_ body: [UInt8]) {
        ccurl_set_number(handle, CURLOPT_POST, 1)
        ccurl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
        // The body is copied, so that libcurl can send it once more over another connection.
        body.withUnsafeBytes {
            _ = ccurl_set_text(handle, CURLOPT_COPYPOSTFIELDS, $0.assumingMemoryBound(to: CChar.self).baseAddress)
        }
    }

    private func setMail(_ mail: (from: String, to: String)) {
        ccurl_set_number(handle, CURLOPT_UPLOAD, 1)
        ccurl_set_size(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(transfer.body?.count ?? 0))
        ccurl_set_number(handle, CURLOPT_USE_SSL, Int((transfer.mayBePlain ? CURLUSESSL_TRY : CURLUSESSL_ALL).rawValue))
        ccurl_set_text(handle, CURLOPT_MAIL_FROM, "<\(mail.from)>")
        recipients = curl_slist_append(recipients, "<\(mail.to)>")
        ccurl_set_pointer(handle, CURLOPT_MAIL_RCPT, recipients)
    }

    /// By the words of libcurl, which has no code for it: what answers the sender's name, and a server that answers nobody.
    private func isOfSender(_ words: String) -> Bool {
        words.hasPrefix("MAIL ") || words.contains("smtp-server response")
    }

    func reply(_ code: CURLcode) -> Transfer.Reply {
        let status = Int(ccurl_status(handle))
        let wait = Int(ccurl_retry_after(handle))
        return Transfer.Reply(
            status: status, retryAfter: wait > 0 ? wait : nil, body: flow.received,
            error: code == CURLE_OK ? nil : String(cString: curl_easy_strerror(code)),
            isOfMail: transfer.mail != nil && !isOfSender(String(cString: trouble)))
    }
}

/// Opens a socket to a public address, whatever the host's name says by now; to any other none.
private let openPublicly: curl_opensocket_callback = { _, _, wanted in
    guard let wanted else { return CURL_SOCKET_BAD }
    var address = sockaddr_storage()
    // libcurl's structure ends with the address, which is longer than its type says.
    let start = UnsafeRawPointer(wanted) + MemoryLayout<curl_sockaddr>.offset(of: \.addr)!
    memcpy(&address, start, min(Int(wanted.pointee.addrlen), MemoryLayout<sockaddr_storage>.size))
    let isInternet = [AF_INET, AF_INET6].contains(wanted.pointee.family)
    guard isInternet, IPAddress(address).isPublic else { return CURL_SOCKET_BAD }
    return socket(
        wanted.pointee.family, wanted.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue), wanted.pointee.protocol)
}
