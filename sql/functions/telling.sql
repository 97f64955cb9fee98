-- How far messages go.

-- How far messages of a kind go. By push, as a rule. `else_sms`: to the number of a courier who has notifications on and no
-- device, too. `surely`: to the number of whoever gets no push for whatever reason. `never_push`: to the number or e-mail
-- address that one signs in with, proven or not, since a device may be in other hands. `proven`: the same, if it is proven.
-- `offer`: by push to couriers on duty. `else_email`: by push, or to the address of a store without a device. `recipient`: to the
-- number of who gets a delivery, and has no account. All others reach a number or an address only if it is proven.
CREATE OR REPLACE FUNCTION reach_of(kind text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE kind
        WHEN 'delivery_cancelled' THEN 'else_sms' WHEN 'delivery_reassigned' THEN 'else_sms'
        WHEN 'delivery_reopened' THEN 'else_sms' WHEN 'invite' THEN 'surely'
        WHEN 'password_reset' THEN 'never_push' WHEN 'confirmation_code' THEN 'never_push'
        WHEN 'new_device' THEN 'proven' WHEN 'password_changed' THEN 'proven' WHEN 'login_changed' THEN 'proven'
        WHEN 'session_ended' THEN 'proven' WHEN 'account_leaving' THEN 'proven' WHEN 'offers_waiting' THEN 'proven'
        WHEN 'delivery_offered' THEN 'offer'
        WHEN 'delivery_stranded' THEN 'else_email' WHEN 'delivery_returned' THEN 'else_email'
        WHEN 'delivery_late' THEN 'else_email' WHEN 'attempt_failed' THEN 'else_email' WHEN 'delivery_unaccepted' THEN 'else_email'
        WHEN 'cancellation_contested' THEN 'else_email' WHEN 'recipient_tracking' THEN 'recipient' ELSE 'push'
    END
$$;

-- Whether a courier wants offers now.
CREATE OR REPLACE FUNCTION duty_now(on_duty boolean, duty_until timestamptz) RETURNS boolean
LANGUAGE sql STABLE AS $$ SELECT on_duty <> coalesce(duty_until <= now(), false) $$;

-- Since when whoever is on duty has been; null where nobody knows.
CREATE OR REPLACE FUNCTION on_duty_since(on_duty boolean, duty_until timestamptz, duty_since timestamptz) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT CASE WHEN on_duty THEN duty_since ELSE duty_until END $$;

-- Where somebody is told besides by push, as far as a kind reaches, or the number or the address of whoever has no account.
CREATE OR REPLACE FUNCTION reached_besides(account uuid, reach text, to_phone text, to_email text, to_language text)
RETURNS TABLE (channel text, address text, spoken text)
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    RETURN QUERY
    SELECT 'sms', k.phone, a.language FROM accounts a JOIN couriers k ON k.id = a.id
    WHERE a.id = account AND reach NOT IN ('push', 'offer', 'else_email') AND k.phone IS NOT NULL AND NOT (k.off AND reach = 'else_sms') AND (
        reach = 'never_push' OR k.phone_verified AND (
            reach = 'proven' OR (reach = 'surely' OR a.notifications_enabled)
            AND NOT (a.notifications_enabled AND EXISTS (SELECT FROM devices d WHERE d.account_id = a.id))))
    UNION ALL
    SELECT 'email', s.email, a.language FROM accounts a JOIN stores s ON s.id = a.id
    WHERE a.id = account AND s.email IS NOT NULL AND (
        reach = 'never_push' OR s.email_verified AND (reach = 'proven'
            OR reach = 'else_email' AND a.notifications_enabled AND NOT s.off
            AND NOT EXISTS (SELECT FROM devices d WHERE d.account_id = a.id)))
    UNION ALL
    SELECT 'sms', to_phone, to_language WHERE to_phone IS NOT NULL
    UNION ALL
    SELECT 'email', to_email, to_language WHERE to_email IS NOT NULL;
END
$$;

-- What cannot arrive any more by its push goes to the devices that its account has had since it was written: the others were told then. What
-- must be known goes where its account is told besides, unless there is a device: to the number of a courier, to the address of a store. A
-- store whose e-mail address is not proven reaches nobody's number.
CREATE OR REPLACE FUNCTION reach_otherwise(ids uuid[]) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO messages (kind, channel, address, platform, language, title, body, data, account_id, subject, expires_at, sms)
    SELECT lost.kind, 'push', later.token, later.platform, lost.language, lost.title, lost.body,
        lost.data - 'keys' || jsonb_strip_nulls(jsonb_build_object('keys', later.keys)), lost.account_id, lost.subject,
        lost.expires_at, lost.sms
    FROM (
        SELECT DISTINCT ON (m.account_id, m.kind, m.subject) m.* FROM messages m
        WHERE m.id = ANY (ids) AND m.channel = 'push' AND m.subject IS NOT NULL AND (m.expires_at > clock_timestamp()) IS NOT FALSE
        ORDER BY m.account_id, m.kind, m.subject, m.id DESC) lost,
        LATERAL (
            SELECT d.* FROM accounts a JOIN devices d ON d.account_id = a.id
            WHERE a.id = lost.account_id AND a.notifications_enabled AND d.claimed_at > lost.created_at AND NOT EXISTS (
                SELECT FROM messages m
                WHERE m.subject = lost.subject AND m.kind = lost.kind AND m.address = d.token AND m.created_at >= lost.created_at)
            OFFSET 0) later
    ORDER BY lost.id, later.token;
    INSERT INTO messages (kind, channel, address, language, title, body, data, account_id, subject, expires_at, cause)
    SELECT kind, besides.channel::message_channel, besides.address, language, title,
        CASE WHEN besides.channel = 'sms' THEN coalesce(sms, body) ELSE body END, data - 'keys', account_id, subject, expires_at,
        CASE WHEN kind = 'invite' THEN 'stranger' END
    FROM (
        SELECT DISTINCT ON (m.account_id, m.kind, m.subject) m.* FROM messages m
        WHERE m.id = ANY (ids) AND m.channel = 'push' AND reach_of(m.kind) IN ('surely', 'else_sms', 'else_email')
            AND NOT (m.kind = 'invite' AND EXISTS (
                SELECT FROM stores s WHERE s.id = (m.data->>'store_id')::uuid AND NOT s.email_verified))
            AND (m.expires_at > clock_timestamp()) IS NOT FALSE
        ORDER BY m.account_id, m.kind, m.subject, m.id) lost,
        LATERAL reached_besides(lost.account_id, reach_of(lost.kind), NULL, NULL, NULL) besides
    ORDER BY id
$$;

-- What `reach_otherwise` was before it knew of stores.
DROP FUNCTION IF EXISTS reach_by_sms(uuid[]);

REVOKE ALL ON FUNCTION
    reach_of, duty_now, on_duty_since, reached_besides, reach_otherwise FROM PUBLIC;
