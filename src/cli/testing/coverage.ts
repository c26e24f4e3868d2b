import { defined, textOf, type Place } from "../../base/index.ts";
import type { JournalEntry, LoadedWorkflow } from "../../engine/index.ts";

type Program = NonNullable<LoadedWorkflow["program"]>;
type Block = Program["blocks"][string];
type Event = JournalEntry["events"][number];

/** One way a run can take. */
export interface Way {
  readonly block: string;
  /** `then`, `else`, `body`, `retry`, `on error` ... */
  readonly way: string;
  readonly kind: "branch" | "loop" | "error";
  readonly place?: Place;
  readonly taken: boolean;
}

/** A branch of a block that Waymark made of what an author wrote. `enters`: the block that is entered then. */
export interface OwnBranch {
  readonly block: string;
  readonly way: string;
  readonly enters: string;
}

/** Of a block that Waymark made; a number counts uses of one of the author's. */
const isMade = /\$(?!\d)/;

/** Every branch, loop body and error path that an author wrote, and whether one of the runs took it. */
export function coverage(program: Program, runs: readonly (readonly Event[])[], own: readonly OwnBranch[] = []): readonly Way[] {
  const taken = new Set(runs.flatMap((events) => [...takenWays(program, events)]));
  const shown = (block: string, { way, kind, key }: Possible): Way => {
    const place = program.places[block];
    return { block, way, kind, taken: taken.has(key), ...defined({ place }) };
  };
  return Object.values(program.blocks).flatMap((block) => [
    ...membersOf(block).map(([id, way]) => shown(id, way)),
    ...(isMade.test(block.id) ? [] : [...flowWays(block), ...errorWays(block)].map((way) => shown(block.id, way))),
    ...failureWays(program, block).map((way) => shown(block.id, way)),
    ...own.filter(({ enters }) => enters === block.id).map((each) => shown(each.block, branchOf(each))),
  ]);
}

function branchOf({ way, enters }: OwnBranch): Possible {
  return { way, kind: "branch", key: `entered ${enters}` };
}

/** Items of a work that have bodies of their own, such as the nodes of a graph: each runs, or is skipped. */
function membersOf(block: Block): readonly (readonly [string, Possible])[] {
  if (block.kind !== "work" || block.bodies === undefined) return [];
  return Object.values(block.bodies).map((body) => [body.replace(/\$[a-z]+$/, ""), { way: "runs", kind: "branch", key: `${body} ran` }]);
}

type Possible = Pick<Way, "way" | "kind"> & { readonly key: string };

function flowWays(block: Block): Possible[] {
  switch (block.kind) {
    case "choose":
      return [
        ...block.branches.map((_branch, index): Possible => ({
          way: block.branches.length === 1 ? "then" : `branch ${index + 1}`,
          kind: "branch",
          key: `${block.id} branch ${index}`,
        })),
        { way: "else", kind: "branch", key: `${block.id} branch -1` },
      ];
    case "repeat":
    case "work":
      return block.kind === "work" && block.bodies !== undefined ? [] : [{ way: "body", kind: "loop", key: `entered ${block.body}` }];
    case "machine":
      return Object.entries(block.states).map(([state, { body }]) => ({ way: `state ${state}`, kind: "branch", key: `entered ${body}` }));
    default:
      return [];
  }
}

function errorWays({ id, rescue }: Block): Possible[] {
  if (rescue === undefined) return [];
  const retry: Possible[] =
    rescue.retry === undefined || rescue.retry.times === 0 ? [] : [{ way: "retry", kind: "error", key: `${id} retried` }];
  if (rescue.then === "fail") return retry;
  return [...retry, { way: "on error", kind: "error", key: rescue.then === "block" ? `${id} blocked` : `${id} rescued` }];
}

/** What a workflow does when it fails as a whole belongs to its outermost block. */
function failureWays(program: Program, { id }: Block): Possible[] {
  const part = program.parts[program.main];
  const body = part?.root === id ? part.onFailure?.body : undefined;
  return body === undefined ? [] : [{ way: "on failure", kind: "error", key: `entered ${body}` }];
}

function takenWays(program: Program, events: readonly Event[]): ReadonlySet<string> {
  const taken = new Set<string>();
  const stacks = new Map<string, string[]>();
  for (const event of events) {
    if (event.type === "entered") {
      const { frame, strand } = event;
      stacks.set(strand, [...(stacks.get(strand) ?? []), frame.block]);
      taken.add(frame.kind === "rescue" ? `${frame.block} rescued` : `entered ${frame.block}`);
      if ((frame.tries ?? 0) > 0) taken.add(`${frame.block} retried`);
    } else if (event.type === "moved" && event.patch["branch"] !== undefined) {
      taken.add(`${stacks.get(event.strand)?.at(-1) ?? ""} branch ${textOf(event.patch["branch"])}`);
    } else if (event.type === "left") {
      if (event.how !== "skipped") taken.add(`${event.block} ran`);
      stacks.set(event.strand, (stacks.get(event.strand) ?? []).slice(0, -1));
    } else if (event.type === "blocked") {
      const by = stacks.get(event.strand)?.findLast((block) => program.blocks[block]?.rescue?.then === "block");
      if (by !== undefined) taken.add(`${by} blocked`);
    }
  }
  return taken;
}

/** Share of branches and loop bodies that were taken, in per cent, rounded down; error paths are counted apart. */
export function percentTaken(ways: readonly Way[]): number {
  const flow = ways.filter((way) => way.kind !== "error");
  return flow.length === 0 ? 100 : Math.floor((flow.filter((way) => way.taken).length / flow.length) * 100);
}
