import { textOf, type Place } from "../../base/index.ts";
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

/** Every branch, loop body and error path of a program, and whether one of the runs took it. */
export function coverage(program: Program, events: readonly Event[]): Way[] {
  const taken = takenWays(program, events);
  return Object.values(program.blocks).flatMap((block) =>
    waysOf(program, block).map(({ way, kind, key }) => {
      const place = program.places[block.id];
      return { block: block.id, way, kind, taken: taken.has(key), ...(place === undefined ? {} : { place }) };
    }),
  );
}

interface Possible {
  readonly way: string;
  readonly kind: Way["kind"];
  readonly key: string;
}

function waysOf(program: Program, block: Block): Possible[] {
  return [...flowWays(block), ...errorWays(block), ...failureWays(program, block)];
}

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

/** Ways of several runs of one workflow together: taken by one of them is taken. */
export function mergeCoverage(all: readonly (readonly Way[])[]): readonly Way[] {
  const merged = new Map<string, Way>();
  for (const way of all.flat()) {
    const key = `${way.block} ${way.way}`;
    const known = merged.get(key);
    merged.set(key, known === undefined ? way : { ...known, taken: known.taken || way.taken });
  }
  return [...merged.values()];
}

/** Share of branches and loop bodies that were taken, in per cent, rounded down; error paths are counted apart. */
export function percentTaken(ways: readonly Way[]): number {
  const counted = ways.filter((way) => way.kind !== "error");
  return counted.length === 0 ? 100 : Math.floor((counted.filter((way) => way.taken).length / counted.length) * 100);
}
