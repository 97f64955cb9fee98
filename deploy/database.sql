-- Kurir's database and its two users: the server owns it, a gateway can only do a gateway's work.
CREATE ROLE kurir LOGIN;
CREATE ROLE kurir_gateway NOLOGIN;
CREATE ROLE "kurir-gateway" LOGIN IN ROLE kurir_gateway;
CREATE DATABASE kurir OWNER kurir ENCODING 'UTF8' TEMPLATE template0;

-- In containers and in a cluster users come with passwords; on one machine PostgreSQL sees by the socket who they are.
\getenv server_password SERVER_PASSWORD
\getenv gateway_password GATEWAY_PASSWORD
\if :{?server_password}
ALTER ROLE kurir PASSWORD :'server_password';
ALTER ROLE "kurir-gateway" PASSWORD :'gateway_password';
\endif

-- The image of PostgreSQL asks for one of the superuser: from now on nobody is that over the network.
\getenv image_password POSTGRES_PASSWORD
\if :{?image_password}
ALTER ROLE postgres PASSWORD NULL;
\endif

-- What PostgreSQL lets everybody do, and a gateway has no use for: hold the locks by which servers take turns, and fill the disk with
-- large objects, of which Kurir has none.
\connect kurir
DO $$
DECLARE
    called regprocedure;
BEGIN
    FOR called IN
        SELECT oid FROM pg_proc
        -- Nobody but a superuser reads and writes files.
        WHERE pronamespace = 'pg_catalog'::regnamespace AND (
            proname ~ '^pg_(try_)?advisory_' OR proname ~ '^lo_' AND proname NOT IN ('lo_import', 'lo_export') OR proname IN ('loread', 'lowrite'))
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', called);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO kurir', called);
    END LOOP;
END
$$;
