/**
 * The tables of seed 002 as its own files make them, in the schema where they would: the first one of the user's search path. They hold a
 * copy, written in the transaction of what it shows (`seed-rows.ts`); nothing but command templates is ever read from them, so that what others
 * change there changes no run. Statements reach them by the views, which do not depend on anybody's search path.
 */
export const seedSchema = `
create table remote_agent_codebases (
  id uuid primary key default gen_random_uuid(),
  name varchar(255) not null,
  repository_url varchar(500),
  default_cwd varchar(500) not null,
  ai_assistant_type varchar(20) default 'claude',
  commands jsonb default '{}'::jsonb,
  created_at timestamp default now(),
  updated_at timestamp default now()
);

create table remote_agent_conversations (
  id uuid primary key default gen_random_uuid(),
  platform_type varchar(20) not null,
  platform_conversation_id varchar(255) not null,
  codebase_id uuid references remote_agent_codebases (id),
  cwd varchar(500),
  ai_assistant_type varchar(20) default 'claude',
  created_at timestamp default now(),
  updated_at timestamp default now(),
  unique (platform_type, platform_conversation_id)
);
create index idx_remote_agent_conversations_codebase on remote_agent_conversations (codebase_id);

create table remote_agent_sessions (
  id uuid primary key default gen_random_uuid(),
  conversation_id uuid references remote_agent_conversations (id) on delete cascade,
  codebase_id uuid references remote_agent_codebases (id),
  ai_assistant_type varchar(20) not null,
  assistant_session_id varchar(255),
  active boolean default true,
  metadata jsonb default '{}'::jsonb,
  started_at timestamp default now(),
  ended_at timestamp
);
create index idx_remote_agent_sessions_conversation on remote_agent_sessions (conversation_id, active);
create index idx_remote_agent_sessions_codebase on remote_agent_sessions (codebase_id);

create table remote_agent_command_templates (
  id uuid primary key default gen_random_uuid(),
  name varchar(255) not null unique,
  description text,
  content text not null,
  created_at timestamp default now(),
  updated_at timestamp default now()
);
create index idx_remote_agent_command_templates_name on remote_agent_command_templates (name);

create table remote_agent_workflow_runs (
  id uuid primary key default gen_random_uuid(),
  workflow_name varchar(255) not null,
  conversation_id uuid references remote_agent_conversations (id) on delete cascade,
  codebase_id uuid references remote_agent_codebases (id) on delete set null,
  current_step_index integer default 0,
  status varchar(20) not null default 'running',
  user_message text not null,
  metadata jsonb default '{}',
  started_at timestamp with time zone default now(),
  completed_at timestamp with time zone
);
create index idx_workflow_runs_conversation on remote_agent_workflow_runs (conversation_id);
create index idx_workflow_runs_status on remote_agent_workflow_runs (status);
comment on table remote_agent_workflow_runs is 'Tracks workflow execution state for resumption and observability';

create view waymark_store.seed_codebase as select * from remote_agent_codebases;
create view waymark_store.seed_conversation as select * from remote_agent_conversations;
create view waymark_store.seed_session as select * from remote_agent_sessions;
create view waymark_store.seed_template as select * from remote_agent_command_templates;
create view waymark_store.seed_run as select * from remote_agent_workflow_runs;
`;
