/// The rule that a malformed request broke.
public enum Malformed: String, Error, CaseIterable, Sendable {
    case method = "bad_method"
    case target = "bad_target"
    case version = "bad_version"
    case versionNotSupported = "version_not_supported"
    case lineEnding = "bad_line_ending"
    case folding = "obsolete_folding"
    case fieldName = "bad_field_name"
    case spaceBeforeColon = "space_before_colon"
    case fieldValue = "bad_field_value"
    case hostMissing = "host_missing"
    case hostRepeated = "host_repeated"
    case host = "bad_host"
    case contentLength = "bad_content_length"
    case contentLengthRepeated = "content_length_repeated"
    case contentLengthWithTransferEncoding = "content_length_with_transfer_encoding"
    case transferEncoding = "bad_transfer_encoding"
    case transferEncodingNotSupported = "transfer_encoding_not_supported"
    case expectation = "bad_expectation"
    case chunk = "bad_chunk"
    case trailer = "bad_trailer"
    case targetTooLong = "target_too_long"
    case headTooLarge = "head_too_large"
    case bodyTooLarge = "body_too_large"

    /// The status for it.
    public var status: Status {
        switch self {
        case .versionNotSupported: .versionNotSupported
        case .transferEncodingNotSupported: .notImplemented
        case .expectation: .expectationFailed
        case .targetTooLong: .targetTooLong
        case .headTooLarge: .headTooLarge
        case .bodyTooLarge: .contentTooLarge
        default: .badRequest
        }
    }

    /// The stable code of the problem.
    public var code: String {
        switch self {
        case .versionNotSupported: "version_not_supported"
        case .transferEncodingNotSupported: "not_implemented"
        case .expectation: "expectation_failed"
        case .targetTooLong, .headTooLarge, .bodyTooLarge: "too_large"
        default: "bad_request"
        }
    }
}
