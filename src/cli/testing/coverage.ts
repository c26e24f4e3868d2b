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

/** Every branch, loop body and error path of a program, and whether one of its runs took it. */
export function coverage(program: Program, runs: readonly (readonly Event[])[]): readonly Way[] {
  const taken = new Set(runs.flatMap((events) => [...takenWays(program, events)]));
  return Object.values(program.blocks).flatMap((block) =>
    [...flowWays(block), ...errorWays(block), ...failureWays(program, block)].map(({ way, kind, key }) => {
      const place = program.places[block.id];
      return { block: block.id, way, kind, taken: taken.has(key), ...defined({ place }) };
    }),
  );
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
      return [{ way: "body", kind: "loop", key: `entered ${block.body}` }];
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
