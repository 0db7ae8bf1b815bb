-- The roles of the shop's database, and what each may do. Harmless to repeat. Passwords are psql variables.
--
--   minitickets      owns the schema; migrations and the seed run as it
--   minitickets_api  reads and writes rows; changes no table and no role
--   minitickets_lab  makes a database for each experiment and drops it; cannot enter the shop's
--
-- Connection limits: 200 (20 tasks with 10 each) + 60 + 10 = 270 of max_connections = 280 in docker-compose.yml. The rest is
-- for superusers: three that PostgreSQL reserves, people and backups. docs/operations.md has the sum.

-- One at a time: ALTER ROLE by two sessions at once fails with "tuple concurrently updated".
begin;
select pg_advisory_xact_lock(4137002);

select format('create role %I', name)
from unnest(array['minitickets', 'minitickets_api', 'minitickets_lab']) as name
where not exists (select from pg_roles where rolname = name) \gexec

alter role minitickets login nosuperuser nocreatedb nocreaterole connection limit 10 password :'owner_password';
alter role minitickets_api login nosuperuser nocreatedb nocreaterole connection limit 200 password :'api_password';
alter role minitickets_lab login nosuperuser createdb nocreaterole connection limit 60 password :'lab_password';

alter database minitickets owner to minitickets;
-- Every database admits everybody until that is revoked.
revoke connect, temporary on database minitickets from public;
revoke connect, temporary on database postgres from public;
revoke connect on database template1 from public;
grant connect on database minitickets to minitickets_api;
grant connect on database postgres to minitickets_lab;

-- The record of migrations is the owner's alone. It is made here, before the default privileges below, which would open it.
create schema if not exists drizzle authorization minitickets;
revoke all on schema drizzle from minitickets_api;

-- What migrations will add, in whatever schema.
alter default privileges for role minitickets grant usage on schemas to minitickets_api;
alter default privileges for role minitickets grant select, insert, update, delete on tables to minitickets_api;
alter default privileges for role minitickets grant usage, select on sequences to minitickets_api;

-- What is there already: `public` is PostgreSQL's own, and a restore brings the tables without these rights.
grant usage on schema public to minitickets_api;
select format('grant usage on schema %1$I to minitickets_api; '
  'grant select, insert, update, delete on all tables in schema %1$I to minitickets_api; '
  'grant usage, select on all sequences in schema %1$I to minitickets_api', nspname)
from pg_namespace
where nspowner in ('minitickets'::regrole, 'pg_database_owner'::regrole) and nspname <> 'drizzle' \gexec
commit;
