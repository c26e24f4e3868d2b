import { chatSchema } from "./chat-schema.ts";
import type { Migration } from "./migrate.ts";
import { seedSchema } from "./seed-schema.ts";
import { showRunSchema } from "./show-run-schema.ts";
import { workSchema } from "./work-schema.ts";

/*
 * What is in the database, in a schema of its own that no user is likely to have the name of: the first schema of a user's search path is
 * the one with their name, and the tables of seed 002 are for everybody. Times are milliseconds as double precision, since they come from arithmetic; texts named
 * `line`, `actor`, `facts`, `events`, `data`, `facets`, `result`, `depends_on`, `entry` are JSON, kept as text since they must come back
 * letter by letter; other free texts are encoded by `encodeText`. Texts that are compared or sorted have the collation of their bytes.
 *
 * `commit_id`, `made_by`, `mark` and `batch` name the attempt that wrote a row, so that one whose answer was lost finds out what it did.
 * `item_facet` repeats what selecting and counting by facet needs and is kept by triggers alone, so it cannot drift from `item`.
 */
const schemaOne = `
create table waymark_store.run (
  no bigint generated always as identity primary key,
  id text collate "C" not null unique,
  project text collate "C" not null,
  workflow text collate "C" not null,
  program text not null,
  sources text not null,
  created_at float8 not null,
  updated_at float8 not null,
  status text collate "C" not null,
  line text not null,
  head bigint not null,
  lock_owner text,
  lock_until float8,
  made_by uuid not null,
  commit_id uuid not null
) with (fillfactor = 70);
create index run_project on waymark_store.run (project, no);
create index run_status on waymark_store.run (project, status, no);

create table waymark_store.record (
  run bigint not null references waymark_store.run (no) on delete cascade,
  position bigint not null,
  at float8 not null,
  actor text not null,
  cause text not null,
  key text collate "C",
  facts text,
  events text not null,
  version bigint not null,
  commit_id uuid,
  primary key (run, position)
);
create unique index record_key on waymark_store.record (run, key) where key is not null;

create table waymark_store.snapshot (
  run bigint primary key references waymark_store.run (no) on delete cascade,
  position bigint not null,
  text text not null
);

create table waymark_store.worklist (
  no bigint generated always as identity primary key,
  run bigint not null references waymark_store.run (no) on delete cascade,
  name text collate "C" not null,
  unique (run, name)
);

create table waymark_store.item (
  no bigint generated always as identity primary key,
  worklist bigint not null references waymark_store.worklist (no) on delete cascade,
  id text collate "C" not null,
  ord text collate "C" not null,
  status text collate "C" not null,
  attempts bigint not null,
  waits_for bigint not null,
  blocked_until float8,
  root text collate "C" not null,
  parent text collate "C",
  label text,
  reason text,
  facets text not null,
  depends_on text,
  data text not null,
  result text,
  unique (worklist, id)
);
create index item_order on waymark_store.item (worklist, ord, no);
create index item_status on waymark_store.item (worklist, status, ord, no);
create index item_ready on waymark_store.item (worklist, ord, no) where status = 'pending' and waits_for = 0;
create index item_below on waymark_store.item (worklist, parent, ord, no) where parent is not null;

create table waymark_store.item_dependency (
  worklist bigint not null references waymark_store.worklist (no) on delete cascade,
  on_id text collate "C" not null,
  item bigint not null,
  primary key (worklist, on_id, item)
);

create table waymark_store.item_facet (
  worklist bigint not null references waymark_store.worklist (no) on delete cascade,
  facet text collate "C" not null,
  value text collate "C" not null,
  status text collate "C" not null,
  ord text collate "C" not null,
  item bigint not null,
  waits_for bigint not null,
  blocked_until float8,
  primary key (worklist, facet, value, status, ord, item)
);
create index item_facet_item on waymark_store.item_facet (item);

create function waymark_store.item_facet_added() returns trigger language plpgsql as $$
begin
  insert into waymark_store.item_facet (worklist, facet, value, status, ord, item, waits_for, blocked_until)
  select a.worklist, f.key, f.value, a.status, a.ord, a.no, a.waits_for, a.blocked_until
  from added a cross join json_each_text(a.facets::json) f where a.facets <> '{}';
  return null;
end $$;
create trigger item_facet_added after insert on waymark_store.item
referencing new table as added for each statement execute function waymark_store.item_facet_added();

create function waymark_store.item_facet_moved() returns trigger language plpgsql as $$
begin
  update waymark_store.item_facet f set status = a.status, waits_for = a.waits_for, blocked_until = a.blocked_until
  from after_move a where f.item = a.no and a.facets <> '{}'
    and (f.status, f.waits_for, f.blocked_until) is distinct from (a.status, a.waits_for, a.blocked_until);
  if exists (select 1 from before_move b join after_move a using (no) where b.facets <> a.facets) then
    delete from waymark_store.item_facet f using before_move b, after_move a where b.no = a.no and b.facets <> a.facets and f.item = a.no;
    insert into waymark_store.item_facet (worklist, facet, value, status, ord, item, waits_for, blocked_until)
    select a.worklist, f.key, f.value, a.status, a.ord, a.no, a.waits_for, a.blocked_until
    from before_move b join after_move a using (no) cross join json_each_text(a.facets::json) f where b.facets <> a.facets;
  end if;
  return null;
end $$;
create trigger item_facet_moved after update on waymark_store.item
referencing old table as before_move new table as after_move for each statement execute function waymark_store.item_facet_moved();

create table waymark_store.lease (
  key text collate "C" primary key,
  owner text collate "C" not null,
  fence float8 not null,
  expires_at float8 not null,
  beat_at float8 not null
) with (fillfactor = 70);
create index lease_owner on waymark_store.lease (owner);

create table waymark_store.pool (
  name text collate "C" primary key,
  blocked_until float8 not null,
  reason text not null,
  seen_by text not null,
  seen_at float8 not null,
  guesses bigint not null,
  mark uuid not null
);

create table waymark_store.blob (
  hash text collate "C" primary key,
  bytes bigint not null,
  put_at float8 not null,
  data bytea
);
create index blob_put on waymark_store.blob (put_at);

create table waymark_store.blob_chunk (
  hash text collate "C" not null references waymark_store.blob (hash) on delete cascade,
  no bigint not null,
  data bytea not null,
  primary key (hash, no)
);

create table waymark_store.blob_ref (
  hash text collate "C" not null,
  run bigint not null references waymark_store.run (no) on delete cascade,
  primary key (hash, run)
);
create index blob_ref_run on waymark_store.blob_ref (run);

create table waymark_store.transcript (
  run text collate "C" primary key,
  last bigint not null
);

create table waymark_store.transcript_entry (
  run text collate "C" not null references waymark_store.transcript (run) on delete cascade,
  position bigint not null,
  action text collate "C" not null,
  step text collate "C" not null,
  entry text not null,
  batch uuid not null,
  primary key (run, position)
);
`;

/** Every schema that was ever released, oldest first; entries are never changed, only added. */
export const migrations: readonly Migration[] = [{ to: 1, sql: `${schemaOne}${chatSchema}${seedSchema}${workSchema}${showRunSchema}` }];
