import type { Migration } from "./migrate.ts";

/*
 * What is on disk. Times are REAL, since they come from arithmetic; texts named `line`, `actor`, `facts`, `events`, `data`,
 * `facets`, `result`, `depends_on` are JSON; other free texts are encoded by `encodeText`.
 *
 * Item rows have small numbers as keys, so that their indexes stay small. `item_facet` repeats what selecting and counting
 * by facet needs and is kept by triggers alone, so it cannot drift from `item`. Nothing is written to `timer`.
 */
const schemaOne = `
create table run (
  no integer primary key,
  id text not null unique,
  workflow text not null,
  program text not null,
  sources text not null,
  created_at real not null,
  updated_at real not null,
  status text not null,
  line text not null,
  head integer not null,
  lock_owner text,
  lock_until real
) strict;

create table record (
  run integer not null references run (no) on delete cascade,
  position integer not null,
  at real not null,
  actor text not null,
  cause text not null,
  key text,
  facts text,
  events text not null,
  version integer not null,
  primary key (run, position)
) strict;
create unique index record_key on record (run, key) where key is not null;

create table snapshot (
  run integer primary key references run (no) on delete cascade,
  position integer not null,
  text text not null
) strict;

create table timer (
  run integer not null references run (no) on delete cascade,
  id text not null,
  strand text not null,
  due real not null,
  why text not null,
  primary key (run, id)
) strict, without rowid;
create index timer_due on timer (due);

create table worklist (
  no integer primary key,
  run integer not null references run (no) on delete cascade,
  name text not null,
  unique (run, name)
) strict;

create table item (
  no integer primary key,
  worklist integer not null references worklist (no) on delete cascade,
  id text not null,
  ord text not null,
  status text not null,
  attempts integer not null,
  waits_for integer not null,
  blocked_until real,
  root text not null,
  parent text,
  label text,
  reason text,
  facets text not null,
  depends_on text,
  data text not null,
  result text,
  unique (worklist, id)
) strict;
create index item_order on item (worklist, ord);
create index item_status on item (worklist, status, ord);
create index item_ready on item (worklist, ord, no, root, blocked_until) where status = 'pending' and waits_for = 0;
create index item_below on item (worklist, parent, ord) where parent is not null;

create table item_dependency (
  worklist integer not null references worklist (no) on delete cascade,
  on_id text not null,
  item integer not null,
  primary key (worklist, on_id, item)
) strict, without rowid;

create table item_facet (
  worklist integer not null references worklist (no) on delete cascade,
  facet text not null,
  value text not null,
  status text not null,
  ord text not null,
  item integer not null,
  waits_for integer not null,
  blocked_until real,
  primary key (worklist, facet, value, status, ord, item)
) strict, without rowid;
create trigger item_facet_added after insert on item when new.facets <> '{}' begin
  insert into item_facet (worklist, facet, value, status, ord, item, waits_for, blocked_until)
  select new.worklist, key, value, new.status, new.ord, new.no, new.waits_for, new.blocked_until from json_each(new.facets);
end;
create trigger item_facet_moved after update of status, waits_for, blocked_until on item when old.facets <> '{}' begin
  update item_facet set status = new.status, waits_for = new.waits_for, blocked_until = new.blocked_until
  where worklist = old.worklist and (facet, value) in (select key, value from json_each(old.facets))
    and status = old.status and ord = old.ord and item = old.no;
end;

create table lease (
  key text primary key,
  owner text not null,
  fence integer not null,
  expires_at real not null,
  beat_at real not null
) strict, without rowid;

create table blob_ref (
  hash text not null,
  run integer not null references run (no) on delete cascade,
  primary key (hash, run)
) strict, without rowid;
create index blob_ref_run on blob_ref (run);
`;

/** Accounts of providers that are at their limit, over all runs. */
const schemaTwo = `
create table pool (
  name text primary key,
  blocked_until real not null,
  reason text not null,
  seen_by text not null,
  seen_at real not null,
  guesses integer not null
) strict, without rowid;
`;

/** Every schema that was ever released, oldest first; entries are never changed, only added. */
export const migrations: readonly Migration[] = [
  { to: 1, up: (db) => db.exec(schemaOne) },
  { to: 2, up: (db) => db.exec(schemaTwo) },
];
