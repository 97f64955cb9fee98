/// Puts messages into the outbox. Every statement that writes messages uses this text.
///
/// It is a text and not a function of the database, since a call would be one more statement within each commit. Only where a
/// message may go besides by push a function looks: most do not, and its tables would be set up for each of them.
package enum Tell {
    /// Writes the messages of some notices. `notices` is a query with a column of that name. It has arrays of
    /// ``Message/notice`` with their `accounts`, or with a `phone` number or an `email` address and a `language`; perhaps
    /// also with the `subject` that they are about, `expires_at`, until when they are good, and the `cause` of an SMS:
    /// `stranger`, or `asked` where the statement is to be refused if it cannot be sent.
    ///
    /// `reach_of` says how far a kind goes: `else_sms` and `surely` reach a courier's number if there is no device, and
    /// `never_push` and `proven` reach a number or e-mail address alone, and `else_email` an address if there is no device and
    /// the store is not blocked.
    /// Only `never_push` reaches what is not proven. An `offer` is pushed to couriers who are on duty.
    package static func sql(_ notices: String) -> String {
        """
        INSERT INTO messages (
            kind, data, channel, address, platform, language, title, body, account_id, subject, expires_at,
            cause, sms)
        SELECT n.kind, n.data || r.extra, r.channel::message_channel, r.address, r.platform, r.language, text->>0,
            CASE WHEN r.channel = 'sms' THEN coalesce(text->>2, text->>1) ELSE text->>1 END, account, n.subject, n.expires_at,
            n.cause, CASE WHEN r.channel = 'push' THEN text->>2 END
        FROM (\(notices)) AS given,
            jsonb_to_recordset(given.notices) AS n(
                kind text, data jsonb, texts jsonb, accounts uuid[], phone text, email text, language text,
                subject uuid, expires_at timestamptz, cause text),
            LATERAL (SELECT reach_of(n.kind) AS reach) AS far,
            unnest(coalesce(n.accounts, '{NULL}')) AS account,
            LATERAL (
                SELECT 'push' AS channel, d.token AS address, d.platform, a.language,
                    jsonb_strip_nulls(jsonb_build_object('keys', d.keys)) AS extra
                FROM accounts a JOIN devices d ON d.account_id = a.id
                WHERE a.id = account AND a.notifications_enabled AND reach NOT IN ('never_push', 'proven')
                    AND (reach <> 'offer' OR (
                        SELECT duty_now(k.on_duty, k.duty_until) FROM couriers k WHERE k.id = account))
                UNION ALL
                SELECT b.channel, b.address, NULL, b.spoken, '{}'
                FROM reached_besides(account, reach, n.phone, n.email, n.language) b
                WHERE reach NOT IN ('push', 'offer') OR n.phone IS NOT NULL OR n.email IS NOT NULL) r,
            coalesce(n.texts->r.language, n.texts->'en') AS text
        """
    }
}
