/**
 * How the seed's table comes to show a run (`seed-rows.ts`). It is a function because it must neither fail nor hold up the commit that it is a
 * part of, whatever others do to the table: what they lock, refuse or change leaves the row as it is, and the run in `unshown`, for the
 * next commit. The limit on waiting ends with the function, so nothing stays in the session.
 */
export const showRunSchema = `
create table waymark_store.unshown (
  run bigint primary key references waymark_store.run (no) on delete cascade
);

create function waymark_store.show_run(of_run bigint, at_id uuid, shown jsonb, adds boolean, at float8) returns boolean language plpgsql
set lock_timeout = '100ms' as $$
declare
  was_behind boolean := exists (select 1 from waymark_store.unshown u where u.run = of_run);
  wanted uuid := (shown ->> 'id')::uuid;
  conversation uuid;
  codebase uuid;
  completed timestamptz := case when shown ->> 'completed_at' = 'now' then to_timestamp(at / 1000.0) else (shown ->> 'completed_at')::timestamptz end;
begin
  perform 1 from waymark_store.seed_run where id = at_id for update nowait;
  select c.id into conversation from waymark_store.seed_conversation c where c.id = (shown ->> 'conversation_id')::uuid for key share nowait;
  select b.id into codebase from waymark_store.seed_codebase b where b.id = (shown ->> 'codebase_id')::uuid for key share nowait;
  if adds or (was_behind and not exists (select 1 from waymark_store.seed_run where id = at_id)) then
    insert into waymark_store.seed_run
      (id, conversation_id, codebase_id, current_step_index, status, user_message, metadata, completed_at, workflow_name, started_at)
    select wanted, conversation, codebase, (shown ->> 'current_step_index')::int, shown ->> 'status', shown ->> 'user_message',
      shown -> 'metadata', completed, coalesce(shown ->> 'workflow_name', left(r.workflow, 255)), to_timestamp(r.created_at / 1000.0)
    from waymark_store.run r where r.no = of_run on conflict (id) do nothing;
  else
    update waymark_store.seed_run s set id = wanted, conversation_id = conversation, codebase_id = codebase,
      current_step_index = (shown ->> 'current_step_index')::int, status = shown ->> 'status', user_message = shown ->> 'user_message',
      metadata = (coalesce(s.metadata, '{}') - 'cancelled' - 'error') || (shown -> 'metadata'), completed_at = completed
    where s.id = at_id and (wanted = at_id or not exists (select 1 from waymark_store.seed_run where id = wanted));
  end if;
  if was_behind then delete from waymark_store.unshown where run = of_run; end if;
  return true;
exception when others then
  insert into waymark_store.unshown (run) values (of_run) on conflict do nothing;
  return false;
end $$;
`;
