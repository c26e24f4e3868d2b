/** What a chat remembers; the tables are those of `sqlite/schema.ts`. `start` is JSON. */
export const chatSchema = `
create table waymark_store.codebase (
  no bigint generated always as identity primary key,
  id text collate "C" not null unique,
  name text collate "C" not null,
  folder text collate "C" not null unique,
  repository text,
  created_at float8 not null,
  updated_at float8 not null
);

create table waymark_store.conversation (
  no bigint generated always as identity primary key,
  id text collate "C" not null unique,
  platform text collate "C" not null,
  platform_id text collate "C" not null,
  codebase text collate "C" references waymark_store.codebase (id) on delete set null,
  folder text,
  created_at float8 not null,
  updated_at float8 not null,
  unique (platform, platform_id)
);
create index conversation_codebase on waymark_store.conversation (codebase);

create table waymark_store.session (
  no bigint generated always as identity primary key,
  id text collate "C" not null unique,
  conversation text collate "C" not null references waymark_store.conversation (id) on delete cascade,
  agent text not null,
  session text not null,
  started_at float8 not null,
  ended_at float8
);
create unique index session_active on waymark_store.session (conversation) where ended_at is null;
create index session_conversation on waymark_store.session (conversation);

create table waymark_store.message (
  no bigint generated always as identity primary key,
  id text collate "C" not null unique,
  conversation text collate "C" not null references waymark_store.conversation (id) on delete cascade,
  key text collate "C" not null,
  person text not null,
  text text not null,
  at float8 not null,
  start text,
  settled_at float8,
  unique (conversation, key)
);
create index message_open on waymark_store.message (no) where settled_at is null;

create table waymark_store.followed_run (
  no bigint generated always as identity primary key,
  run text collate "C" not null unique,
  conversation text collate "C" not null references waymark_store.conversation (id) on delete cascade,
  codebase text collate "C" not null references waymark_store.codebase (id) on delete cascade,
  record bigint not null,
  entry bigint not null,
  note text not null,
  over boolean not null
);
create index followed_run_conversation on waymark_store.followed_run (conversation, no);
create index followed_run_codebase on waymark_store.followed_run (codebase);
create index followed_run_open on waymark_store.followed_run (no) where not over;
`;
