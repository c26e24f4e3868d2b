-- Users of one database of runs, for PostgreSQL 13 or newer.
--
--   waymark_owner   makes and upgrades the tables: run `waymark adopt` with its address once in the beginning and once after an
--                   update of Waymark that has a newer schema.
--   waymark_worker  reads and writes rows. Use its address on the machines that do the work.
--   waymark_reader  sees how many parts wait, for an autoscaler (docs/scale.md). Leave it out if you have none.
--
-- Run this file in the empty database, as a user who may make users:
--
--   psql -v ON_ERROR_STOP=1 -f postgresql-roles.sql "postgres://postgres@db.example.org/runs"
--
-- Then give each a password with `\password waymark_owner` and so on. When the owner has made the tables, let the reader see the view and what it counts:
--
--   grant usage on schema waymark_store to waymark_reader;
--   grant select on waymark_store.waiting to waymark_reader;
--   grant select (no, project, id, workflow, head, updated_at, parts, due) on waymark_store.run to waymark_reader;
--   grant select (key, expires_at) on waymark_store.lease to waymark_reader;

create role waymark_owner login;
create role waymark_worker login;
create role waymark_reader login;

-- Nobody else connects, and nobody makes tables beside those of the owner.
do $$
begin
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect, create on database %I to waymark_owner', current_database());
  execute format('grant connect on database %I to waymark_worker, waymark_reader', current_database());
end $$;
revoke all on schema public from public;
grant usage, create on schema public to waymark_owner;
grant usage on schema public to waymark_worker;

-- Whatever the owner makes from now on, in this database, the worker may fill and read, and not change.
alter default privileges for role waymark_owner grant usage on schemas to waymark_worker;
alter default privileges for role waymark_owner grant select, insert, update, delete on tables to waymark_worker;
