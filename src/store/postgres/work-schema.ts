/**
 * What finding work goes by; see `waiting-text.ts`. `waiting` is for everybody who wants to know how much work there is, such as what decides how
 * many workers there are.
 */
export const workSchema = `
alter table waymark_store.run add column due float8;
alter table waymark_store.run add column parts text;
create index run_due on waymark_store.run (project, due) where due is not null;

create function waymark_store.waiting_at(at float8)
returns table (no bigint, project text, run text, workflow text, head bigint, updated_at float8, parts bigint) language sql stable as $$
  select r.no, r.project, r.id, r.workflow, r.head, r.updated_at,
    (p ->> 'free')::bigint + coalesce(((p ->> 'due')::float8 <= at)::int, 0) + (
      select count(*) from json_array_elements_text(p -> 'held') h
      where not exists (select 1 from waymark_store.lease l where l.key = h and l.expires_at > at)
    )
  from waymark_store.run r cross join lateral (select r.parts::json as p) j where r.due <= at
$$;

create view waymark_store.waiting as
select project, run, workflow, parts
from waymark_store.waiting_at(floor(extract(epoch from clock_timestamp()) * 1000)::float8) where parts > 0;
`;
