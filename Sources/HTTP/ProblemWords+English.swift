extension ProblemWords {
    static let english: [String: Text] = [
        "not_found": ["Not found": "There is nothing at this address, or it is not yours to see."],
        "method_not_allowed": ["Method not allowed": "This address does not take {method}. It takes: {allow}."],
        "bad_request": ["Bad request": "The request cannot be understood."],
        "internal_error": [
            "Internal error": "Something went wrong on our side. Please tell us the request_id if it goes on."
        ],
        "unavailable": ["Unavailable for the moment": "Please try again in a moment."],
        "deadline_passed": ["Unavailable for the moment": "The answer took too long. Please try again in a moment."],
        "too_many_connections": [
            "Too many connections": "There are too many connections. Please close some, or try again in a moment."
        ],
        "rate_limited": ["Too many requests": "You are asking too much at once. Please wait a moment."],
        "too_much_unread": [
            "Too many answers unread": "Too many answers wait to be read. Please read them, or try again in a moment."
        ],
        "request_timeout": ["Request timeout": "The request did not arrive in time. Please send it faster."],
        "malformed_json": ["Malformed JSON": "The body is not valid JSON in UTF-8."],
        "validation_failed": ["Validation failed": "Some fields cannot be taken as they are; errors lists them."],
        "required": ["Validation failed": "This is required."],
        "out_of_range": ["Validation failed": "This must be between {least} and {most}."],
        "wrong_type": ["Validation failed": "This has another type than is expected here."],
        "unsupported_media_type": [
            "Unsupported media type": "The body must be sent with Content-Type: application/json."
        ],
        "bad_escapes": ["Bad request": "The address has percent-encoded bytes that are not text in UTF-8."],

        "bad_method": ["Bad request": "The method is not a token followed by one space."],
        "bad_target": [
            "Bad request": "The request target has bytes that a URI may not have. Percent-encode them."
        ],
        "bad_version": ["Bad request": "The request line must end in HTTP/1.1 or HTTP/1.0."],
        "version_not_supported": ["HTTP version not supported": "This server speaks HTTP/1.1 and HTTP/1.0."],
        "bad_line_ending": ["Bad request": "Lines must end in a carriage return and a line feed."],
        "obsolete_folding": ["Bad request": "A header field may not be folded over several lines."],
        "bad_field_name": ["Bad request": "A header field's name has bytes that it may not have."],
        "space_before_colon": ["Bad request": "There may be no space between a header field's name and the colon."],
        "bad_field_value": ["Bad request": "A header field's value has control characters."],
        "host_missing": ["Bad request": "The Host header field is missing."],
        "host_repeated": ["Bad request": "The Host header field stands more than once."],
        "bad_host": ["Bad request": "The Host header field is not a host with or without a port."],
        "bad_content_length": ["Bad request": "Content-Length must be a decimal number."],
        "content_length_repeated": ["Bad request": "Content-Length stands more than once."],
        "content_length_with_transfer_encoding": [
            "Bad request": "Content-Length and Transfer-Encoding exclude each other."
        ],
        "bad_transfer_encoding": [
            "Bad request": "Transfer-Encoding must be chunked, once, and only in HTTP/1.1."
        ],
        "transfer_encoding_not_supported": [
            "Not implemented": "This transfer coding is unknown here. Send the body plain or chunked."
        ],
        "bad_expectation": ["Expectation failed": "The only expectation that can be met is 100-continue."],
        "bad_chunk": ["Bad request": "The chunked body is malformed."],
        "bad_trailer": ["Bad request": "The trailer behind the chunked body is malformed."],
        "target_too_long": ["Too large": "The request target is too long."],
        "head_too_large": ["Too large": "The request's header is too large: at most 16 KiB and 100 fields."],
        "body_too_large": ["Too large": "The request's body is too large: at most 64 KiB."],
    ]
}
