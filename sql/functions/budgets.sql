-- Which SMS are sent, and what they may cost.

-- Why no SMS goes to a number, whoever causes it; null if one may.
CREATE OR REPLACE FUNCTION sms_refusal(number text) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN EXISTS (SELECT FROM sms_stops WHERE phone = number) THEN 'opted_out'
        WHEN NOT EXISTS (SELECT FROM unnest(sms_begins) AS beginning WHERE starts_with(number, beginning)) THEN 'country'
        WHEN EXISTS (SELECT FROM unnest(sms_never) AS beginning WHERE starts_with(number, beginning)) THEN 'premium'
    END FROM trust
$$;

-- The budgets that an SMS is taken from, each with how many it holds at once and the seconds after which it has one more.
CREATE OR REPLACE FUNCTION sms_budgets_of(store text, number text, is_own boolean)
RETURNS TABLE (kind text, subject bytea, burst integer, step double precision)
LANGUAGE sql STABLE AS $$
    SELECT b.kind, sha256(convert_to(b.subject, 'UTF8')), b.burst, b.seconds / b.burst
    FROM trust, LATERAL (VALUES
        ('all', 'all', sms_in_all, 3600.0::float8),
        ('store', store, sms_of_store, 86400.0),
        (CASE WHEN is_own THEN 'own' ELSE 'stranger' END, number, sms_to_number, 86400.0)) AS b(kind, subject, burst, seconds)
    WHERE b.subject IS NOT NULL AND b.burst IS NOT NULL
$$;

-- Takes an SMS from each of its budgets; gives the seconds to wait when one of them is spent, and then takes none. Nodes are
-- told, once, when most or all of one is used; it is told again after it was half full.
CREATE OR REPLACE FUNCTION take_sms(store text, number text, is_own boolean) RETURNS double precision
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
    moment timestamptz;
    wait double precision;
    note record;
BEGIN
    -- In one order, that of all first: who takes several in one commit waits for nobody after the first.
    INSERT INTO sms_budgets AS s (kind, subject, drained_at)
        SELECT kind, subject, clock_timestamp() FROM sms_budgets_of(store, number, is_own) ORDER BY kind
        ON CONFLICT (kind, subject) DO UPDATE SET drained_at = s.drained_at;
    moment := clock_timestamp();
    -- A clock that was ahead and is put right leaves none full for longer than it ever is.
    UPDATE sms_budgets s SET drained_at = moment + make_interval(secs => b.burst * b.step)
        FROM sms_budgets_of(store, number, is_own) b
        WHERE s.kind = b.kind AND s.subject = b.subject AND s.drained_at > moment + make_interval(secs => b.burst * b.step);
    SELECT max(extract(epoch FROM s.drained_at - moment) - (b.burst - 1) * b.step) INTO wait
        FROM sms_budgets_of(store, number, is_own) b JOIN sms_budgets s USING (kind, subject);
    IF wait > 0 THEN RETURN wait; END IF;
    FOR note IN
        WITH taken AS (
            SELECT kind, subject, s.told AS before, greatest(s.drained_at, moment) + make_interval(secs => b.step) AS drained_at,
                b.burst, extract(epoch FROM greatest(s.drained_at, moment) - moment) / b.step + 1 AS used
            FROM sms_budgets_of(store, number, is_own) b JOIN sms_budgets s USING (kind, subject))
        UPDATE sms_budgets s SET drained_at = t.drained_at,
            told = CASE WHEN t.used > t.burst - 1 THEN 100 WHEN t.used + 0.5 >= 0.8 * t.burst THEN greatest(t.before, 80)
                WHEN t.used < 0.5 * t.burst THEN 0 ELSE t.before END
        FROM taken t WHERE s.kind = t.kind AND s.subject = t.subject
        RETURNING s.kind, s.subject, s.told, s.told > t.before AS is_news
    LOOP
        CONTINUE WHEN NOT note.is_news;
        INSERT INTO audit (kind, account_id, detail) VALUES (
            CASE note.told WHEN 100 THEN 'budget.spent' ELSE 'budget.nearly_spent' END,
            CASE note.kind WHEN 'store' THEN store::uuid END, jsonb_build_object('budget', note.kind));
        PERFORM pg_notify('kurir_budgets', concat_ws(' ', note.kind, note.told,
            CASE note.kind WHEN 'store' THEN store WHEN 'all' THEN 'all' ELSE left(encode(note.subject, 'hex'), 12) END));
    END LOOP;
    RETURN 0;
END
$$;

-- Whose room at a number an SMS takes. What brings an account back to its owner has room that nothing else uses up: a new password
-- asked for from where the account is at home has its own.
CREATE OR REPLACE FUNCTION sms_room(m messages) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN m.kind = 'password_reset' AND m.cause IS NULL THEN 'reset ' || m.address
        ELSE m.address
    END
$$;

-- Takes an SMS from the budgets, and gives why it may not be sent for now, if so, and in how many seconds it may. That somebody signs in
-- otherwise now is told whatever else was sent: it is bounded by the code that the new place had, where it had one.
CREATE OR REPLACE FUNCTION admit_sms(m messages, OUT refusal text, OUT wait double precision)
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
BEGIN
    IF m.kind = 'invite' AND m.cause = 'stranger' AND NOT invite_by_sms(m.address) THEN
        refusal := 'invited_already';
        wait := (SELECT extract(epoch FROM invited_at + interval '1 day' - clock_timestamp()) FROM invited_numbers WHERE phone = m.address);
    ELSIF (m.kind <> 'login_changed' OR m.cause = 'stranger') AND (SELECT sms_in_all IS NOT NULL FROM trust) THEN
        wait := take_sms(m.data->>'store_id', sms_room(m), m.cause IS NULL);
        IF wait > 0 THEN
            refusal := 'over_budget';
            -- What is not sent is no invite of that day.
            IF m.kind = 'invite' THEN DELETE FROM invited_numbers WHERE phone = m.address; END IF;
        END IF;
    END IF;
END
$$;

-- Refuses the whole statement, with the seconds after which there is room again.
CREATE OR REPLACE FUNCTION refuse_sms(wait double precision) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', greatest(1, ceil(wait)) USING ERRCODE = 'KU429', CONSTRAINT = 'budget_spent';
END
$$;

-- Judges SMS in the commit that writes them: those that may not be sent are given up, or, where somebody waits for the answer,
-- refused.
CREATE OR REPLACE FUNCTION judge_sms(ids uuid[]) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    is_limited boolean := (SELECT sms_in_all IS NOT NULL FROM trust);
    written record;
    refused record;
BEGIN
    FOR written IN
        SELECT m, judged.refusal
        -- The time says in which partition they are. One is looked up after the other, since there may be very many.
        FROM unnest(ids) AS of_these(id) JOIN messages m ON m.id = of_these.id AND m.created_at >= transaction_timestamp(),
            LATERAL (SELECT sms_refusal(m.address) AS refusal OFFSET 0) judged
        WHERE is_limited OR m.cause = 'stranger' OR judged.refusal IS NOT NULL
        ORDER BY m.id
    LOOP
        IF written.refusal IS NULL THEN
            SELECT * INTO refused FROM admit_sms(written.m);
            CONTINUE WHEN refused.refusal IS NULL;
            IF refused.refusal = 'over_budget' AND (written.m).cause = 'asked' THEN PERFORM refuse_sms(refused.wait); END IF;
            written.refusal := refused.refusal;
        END IF;
        PERFORM bury_messages('sms', ARRAY[(written.m).id], written.refusal);
    END LOOP;
END
$$;

-- Whether a number may be invited by SMS now: once a day, whichever store does it. If so, it has been.
CREATE OR REPLACE FUNCTION invite_by_sms(number text) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
BEGIN
    IF sms_refusal(number) IS NOT NULL THEN RETURN false; END IF;
    INSERT INTO invited_numbers AS n (phone, invited_at) VALUES (number, clock_timestamp())
        ON CONFLICT (phone) DO UPDATE SET invited_at = EXCLUDED.invited_at
        WHERE n.invited_at < clock_timestamp() - interval '1 day' OR (SELECT sms_to_number IS NULL FROM trust);
    RETURN FOUND;
END
$$;

-- From now on a number gets no SMS, and what waits for it is given up.
CREATE OR REPLACE FUNCTION stop_sms(number text) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
BEGIN
    INSERT INTO sms_stops (phone) VALUES (number) ON CONFLICT DO NOTHING;
    IF FOUND THEN
        INSERT INTO audit (kind, account_id) VALUES (
            'sms.stopped', (SELECT id FROM couriers WHERE phone = number AND phone_verified));
    END IF;
    PERFORM bury_messages('sms', ARRAY(
        SELECT id FROM message_queue WHERE way = message_way('sms', number)
            AND (lease IS NULL OR ready_at <= clock_timestamp())
        ORDER BY id FOR UPDATE), 'opted_out');
END
$$;

REVOKE ALL ON FUNCTION
    sms_refusal, sms_budgets_of, take_sms, sms_room, admit_sms, refuse_sms, judge_sms, invite_by_sms, stop_sms FROM PUBLIC;
