import type { Migration } from "./migrate.ts";

/*
 * What is on disk. Times are REAL, since they come from arithmetic; texts named `line`, `start`, `actor`, `facts`, `events`, `data`,
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

/**
 * What a chat remembers, and the tables of seed 002 as views of it and of runs. `line` of a run is JSON, so the views read it; times are ISO
 * texts there. A run of an earlier version has no uuid: its is made of the end of its id.
 */
const schemaThree = `
create table codebase (
  no integer primary key,
  id text not null unique,
  name text not null,
  folder text not null unique,
  repository text,
  created_at real not null,
  updated_at real not null
) strict;

create table conversation (
  no integer primary key,
  id text not null unique,
  platform text not null,
  platform_id text not null,
  codebase text references codebase (id) on delete set null,
  folder text,
  created_at real not null,
  updated_at real not null,
  unique (platform, platform_id)
) strict;
create index conversation_codebase on conversation (codebase);

create table session (
  no integer primary key,
  id text not null unique,
  conversation text not null references conversation (id) on delete cascade,
  agent text not null,
  session text not null,
  started_at real not null,
  ended_at real
) strict;
create unique index session_active on session (conversation) where ended_at is null;

create table message (
  no integer primary key,
  id text not null unique,
  conversation text not null references conversation (id) on delete cascade,
  key text not null,
  person text not null,
  text text not null,
  at real not null,
  start text,
  settled_at real,
  unique (conversation, key)
) strict;
create index message_open on message (no) where settled_at is null;

create table followed_run (
  no integer primary key,
  run text not null unique,
  conversation text not null references conversation (id) on delete cascade,
  codebase text not null references codebase (id) on delete cascade,
  record integer not null,
  entry integer not null,
  note text not null,
  over integer not null
) strict;
create index followed_run_conversation on followed_run (conversation, no);
create index followed_run_open on followed_run (no) where over = 0;

create table command_template (
  no integer primary key,
  id text not null unique,
  name text not null unique,
  description text not null,
  content text not null,
  created_at real not null,
  updated_at real not null
) strict;

create view remote_agent_codebases as
select id, name, repository as repository_url, folder as default_cwd, 'waymark' as ai_assistant_type, '{}' as commands,
  strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch') as created_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', updated_at / 1000.0, 'unixepoch') as updated_at
from codebase;

create view remote_agent_conversations as
select id, platform as platform_type, platform_id as platform_conversation_id, codebase as codebase_id, folder as cwd,
  'waymark' as ai_assistant_type,
  strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch') as created_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', updated_at / 1000.0, 'unixepoch') as updated_at
from conversation;

create view remote_agent_sessions as
select session.id, conversation as conversation_id, conversation.codebase as codebase_id, agent as ai_assistant_type,
  session as assistant_session_id, ended_at is null as active, '{}' as metadata,
  strftime('%Y-%m-%dT%H:%M:%fZ', started_at / 1000.0, 'unixepoch') as started_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', ended_at / 1000.0, 'unixepoch') as ended_at
from session join conversation on conversation.id = session.conversation;

create view remote_agent_command_templates as
select id, name, description, content,
  strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch') as created_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', updated_at / 1000.0, 'unixepoch') as updated_at
from command_template;

create trigger template_added instead of insert on remote_agent_command_templates begin
  insert into command_template (id, name, description, content, created_at, updated_at)
  select coalesce(new.id, lower(hex(randomblob(16)))), new.name, coalesce(new.description, ''), new.content, now, now
  from (select (julianday('now') - 2440587.5) * 86400000.0 as now);
end;
create trigger template_changed instead of update on remote_agent_command_templates begin
  update command_template set name = new.name, description = coalesce(new.description, ''), content = new.content,
    updated_at = (julianday('now') - 2440587.5) * 86400000.0
  where id = old.id;
end;
create trigger template_removed instead of delete on remote_agent_command_templates begin
  delete from command_template where id = old.id;
end;

create view remote_agent_workflow_runs as
select
  coalesce(line ->> 'workflow_id', substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-' || substr(hex, 13, 4) || '-' ||
    substr(hex, 17, 4) || '-' || substr(hex, 21)) as id,
  workflow as workflow_name,
  line ->> 'conversation' as conversation_id,
  line ->> 'codebase' as codebase_id,
  coalesce(line ->> 'done', 0) as current_step_index,
  iif(status = 'cancelled', 'failed', status) as status,
  coalesce(line ->> 'user_message', '') as user_message,
  json_patch(iif(status = 'cancelled', '{"cancelled":true}', '{}'),
    iif(status = 'running' or line ->> 'error' is null, '{}', json_object('error', line ->> 'error'))) as metadata,
  strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch') as started_at,
  iif(status = 'running', null, coalesce(line ->> 'ended_at', strftime('%Y-%m-%dT%H:%M:%fZ', updated_at / 1000.0, 'unixepoch')))
    as completed_at
from (select *, lower(substr('00000000000000000000000000000000' || hex(id), -32)) as hex from run);
`;

/** What finding work goes by; see `waiting-text.ts`. An open run of an earlier version is looked at once. */
const schemaFour = `
alter table run add column due real;
alter table run add column parts text;
update run set due = 0, parts = '{"free":1,"held":[]}' where status = 'running';
create index run_due on run (due) where due is not null;
`;

/** Every schema that was ever released, oldest first; entries are never changed, only added. */
export const migrations: readonly Migration[] = [
  { to: 1, up: (db) => db.exec(schemaOne) },
  { to: 2, up: (db) => db.exec(schemaTwo) },
  { to: 3, up: (db) => db.exec(schemaThree) },
  { to: 4, up: (db) => db.exec(schemaFour) },
];
