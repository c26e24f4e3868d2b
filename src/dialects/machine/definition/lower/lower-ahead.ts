import { standardTaskPrompt, type BlockId } from "../../../../program/index.ts";
import { condition, value } from "../../../../source/index.ts";
import type { InnerDefinition } from "../machine-definition.ts";
import { boundTo, engine, type Builder } from "./lower-step.ts";

/** How often conflicts of one wave are given back. */
const mostRounds = 4;
const repeats = 2;

/**
 * Ready tasks whose files do not meet are given to a role at the same time, each in a strand and a worktree of its own. What they bring is
 * brought together in the order of the tasks; what does not fit goes back to its strand. A task that was not done in this way is done in its
 * turn like any other, so nothing else of the machine knows of it. Strands write nothing that another one reads.
 */
export function lowerAhead(builder: Builder, id: BlockId, { role, most }: NonNullable<InnerDefinition["ahead"]>): BlockId {
  const { put } = builder;
  const of = (part: string): BlockId => `${id}.ahead.${part}`;
  const wave = put(engine(of("wave"), "machine_wave", { role: value(role), most: { as: "js", of: most }, task: value("{{ task }}") }));
  const open = engine(of("open"), "machine_apart", { role: value(role), task: value("{{ task }}") }, "$apart");
  const act = put({
    id: of("act"),
    kind: "do",
    who: "agent",
    what: "role",
    args: { dispatch: value("{{ $apart.dispatch }}"), before: value("{{ $apart.before }}"), ...boundTo(builder.definition, role) },
    writes: [],
    name: { as: "text", of: "{{ $apart.dispatch.step }}" },
    whenLost: "retry",
    as: "did",
    rescue: { retry: { times: repeats, delayMs: 0, factor: 1, capMs: 0 }, then: "fail" },
  });
  const keep = engine(of("keep"), "machine_keep", { task: value("{{ task }}"), apart: value("{{ $apart }}"), output: value("{{ did }}") });
  const strand = put({ id: of("strand"), kind: "seq", blocks: [put(failing(open)), act, put(failing(keep))] });
  const work = put({
    id: of("tasks"),
    kind: "work",
    fill: value("{{ wave.tasks }}"),
    mode: "strands",
    join: "all",
    itemName: "task",
    body: strand,
    onItemFailure: { retries: 0, then: "continue" },
    task: { name: role, prompt: standardTaskPrompt },
  });
  const bring = put(engine(of("bring"), "machine_bring", { role: value(role) }));
  const round = put({ id: of("round"), kind: "seq", blocks: [work, bring] });
  const rounds = put({
    id: of("rounds"),
    kind: "repeat",
    while: condition("wave.tasks.length > 0"),
    max: mostRounds,
    onLimit: "warn",
    body: round,
  });
  return put({ id: of("seq"), kind: "seq", blocks: [wave, rounds] });
}

/** What a task left uncommitted, so that later ones begin with it. */
export function kept({ put }: Builder, id: BlockId): BlockId {
  return put(engine(`${id}.kept`, "machine_kept", { task: value("{{ task }}") }));
}

/** An effect of a strand: where it fails, its task is done in its turn. */
function failing(block: ReturnType<typeof engine>): ReturnType<typeof engine> {
  return { ...block, rescue: { retry: { times: 2, delayMs: 200, factor: 4, capMs: 1000 }, then: "fail" } };
}
