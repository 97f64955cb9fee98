import HTTP

extension ProblemWords {
    /// What the API says of problems, in English.
    package static let apiEnglish: [String: Text] = [
        "unauthenticated": [
            "Sign in first": "Send the token of a session that has not ended: Authorization: Bearer TOKEN."
        ],
        "forbidden": ["Not allowed": "This account may not do this."],
        "only_stores": ["Not allowed": "Only stores may do this."],
        "only_couriers": ["Not allowed": "Only couriers may do this."],
        "cross_site": [
            "Not allowed":
                "With a session cookie this may only be asked for by our own pages, or with X-Requested-With."
        ],
        "other_channel": ["Not allowed": "This key does not hold that channel."],
        "message_untrue": [
            "Gone": "What this message says is no longer so, or its recipient can no longer be reached there."
        ],
        "not_an_object": ["Bad request": "The body must be a JSON object."],
        "bad_idempotency_key": ["Bad request": "An Idempotency-Key is 1 to 255 characters of visible ASCII."],
        "idempotency_key_reused": [
            "Key used before": "This Idempotency-Key came with another request. Use a new key for a new request."
        ],
        "request_in_progress": [
            "Under way": "The same request is still under way. Ask again in a moment to get its answer."
        ],
        "forfeited": [
            "Given back before": "You gave this delivery back. Whoever did that cannot accept it again."
        ],
        "already_taken": ["Already taken": "Another courier was faster."],
        "not_pending": ["Not pending": "This is only possible while the delivery is pending."],
        "not_in_progress": ["Not in progress": "This is only possible for the courier who carries the delivery."],
        "already_delivered": ["Already delivered": "The delivery has been delivered. That cannot be undone."],
        "reference_taken": ["Reference taken": "Another of your deliveries has this reference."],
        "version_mismatch": [
            "Changed meanwhile": "The delivery has changed since you read it. Read it again, then decide."
        ],
        "deliveries_in_progress": [
            "Deliveries under way":
                "This courier carries deliveries of yours. Wait for them, or send release=true to have them pending again."
        ],
        "cursor_expired": [
            "Cursor too old": "Events that old are not kept any more. Read the lists again, then follow from after=now."
        ],
        "too_many_streams": [
            "Too many streams": "This account follows its feed too often at once. Close one of the streams."
        ],
        "too_many_slow_reads": [
            "Asked again meanwhile":
                "This account has two later searches or figures under way. Look at what those give."
        ],
        "not_partner": ["Invalid data": "These must be couriers who are your partners."],
        "too_many": ["Invalid data": "There may be {max} at most."],
        "invalid_location": ["Invalid data": "A place has lat from -90 to 90 and lon from -180 to 180."],
        "too_large": ["Too large": "The body is too large: 64 KiB at most."],
        "rate_limited": [
            "Too many tries": "This was tried too often. Wait as long as Retry-After says, then try again."
        ],
        "invalid_cursor": ["Invalid data": "This is not a next_cursor of this list. Begin again without a cursor."],

        "too_long": ["Invalid data": "This may have {max} characters at most."],
        "control_characters": ["Invalid data": "This has characters that are not text."],
        "invalid_id": ["Invalid data": "An id is a UUID."],
        "invalid_email": ["Invalid data": "This is not an e-mail address, as in name@example.com."],
        "invalid_phone": ["Invalid data": "This is not a phone number, as in +385912345678 or 091 234 5678."],
        "invalid_tax_id": [
            "Invalid data": "This is not an OIB: eleven digits of which the last one checks the others."
        ],
        "invalid_code": ["Invalid data": "This is not a code as we send it."],
        "from_after_to": ["Invalid data": "The first day comes after the last one."],
        "period_too_long": ["Invalid data": "A period has 366 days at most."],
        "invalid_value": ["Invalid data": "This is none of the values that are possible here."],
        "unknown_language": ["Invalid data": "This language is not known here."],
        "password_too_short": ["Invalid data": "A password has {min} characters at least."],
        "password_too_long": ["Invalid data": "A password has {max} characters at most."],
        "password_too_common": [
            "Invalid data": "This password is among the first that anybody would guess. Choose another one."
        ],
        "password_mismatch": ["Invalid data": "The two passwords are not the same."],
    ]
}
