import { mainStrand, type Strand } from "../kernel/index.ts";
import type { Program } from "../program/index.ts";
import { actorOf, type Caller } from "./caller.ts";
import type { EngineContext } from "./context.ts";
import { decide } from "./decide.ts";
import { strandLease } from "./holding.ts";
import type { RunHandle } from "./run-cache.ts";

/** Whether the strand hands out its work to everyone who asks. */
function handsOut(program: Program, strand: Strand | undefined): boolean {
  const frame = strand?.frames.at(-1);
  const block = frame === undefined ? undefined : program.blocks[frame.block];
  return frame?.kind === "work" && frame.mode === "strands" && block?.kind === "work" && block.pull === true;
}

/** Whether everybody may ask for work, and not the driver of the run alone. */
export function handsOutWork({ program, state }: Pick<RunHandle, "program" | "state">): boolean {
  return handsOut(program, state.strands[mainStrand]);
}

/** Whether the strand was opened for somebody who asked for work. */
export function isPulled({ program, state }: RunHandle, strand: Pick<Strand, "parent">): boolean {
  return strand.parent !== undefined && handsOut(program, state.strands[strand.parent]);
}

/** Lists whose items are handed out to anybody who asks: nobody was started for one of them alone. */
export function listsOnRequest({ blocks }: Program): ReadonlySet<string> {
  return new Set(Object.values(blocks).flatMap((block) => (block.kind === "work" && block.pull === true ? (block.list ?? []) : [])));
}

/** Whether a task is named after an item of such a list. */
export async function isOnRequest({ store }: EngineContext, { id: run, program }: RunHandle, task: string): Promise<boolean> {
  for (const list of listsOnRequest(program)) if ((await store.readItem(run, list, task)) !== undefined) return true;
  return false;
}

/** The parts of the run that are handed out to everyone who asks. */
export function pulled(handle: RunHandle): readonly Strand[] {
  if (!handsOut(handle.program, handle.state.strands[mainStrand])) return [];
  return Object.values(handle.state.strands).filter((strand) => strand.parent === mainStrand && strand.task !== undefined);
}

/** The part of the run that the caller has in hand, if parts are being handed out. */
export function heldStrand(handle: RunHandle, caller: Caller): string | undefined {
  return pulled(handle).find((strand) => isHolder(strand, caller))?.id;
}

function isHolder({ holder: held }: Pick<Strand, "holder">, { holder }: Caller): boolean {
  return held !== undefined && held.kind === holder.kind && held.name === holder.name && held.session === holder.session;
}

/** Whether a part that was handed out is in the hands of somebody beyond the caller's connection, whose sub-agents share its leases. */
export async function isHeldElsewhere({ store }: EngineContext, handle: RunHandle, { leaseOwner }: Caller): Promise<boolean> {
  for (const { id } of pulled(handle)) {
    const lease = await store.readLease(strandLease(handle.id, id));
    if (lease !== undefined && lease.owner !== leaseOwner) return true;
  }
  return false;
}

/** Heads of runs at which a pull opened nothing: another one would not either, and would only be written down. */
const nothingAt = new WeakMap<RunHandle, number>();

/**
 * The strand a caller drives: main, or while main hands out its work, the caller's own part of it. Whoever has none gets one that
 * nobody alive holds, else a new one; undefined when all that is left is in other hands. With `onlyDriver` a part is for the holder of
 * main: anybody else without one is sent to main.
 */
export async function pickStrand(
  context: EngineContext,
  handle: RunHandle,
  caller: Caller,
  onlyDriver = false,
): Promise<string | undefined> {
  for (;;) {
    const { state, program } = handle;
    const main = state.strands[mainStrand];
    if (state.status !== "running" || main === undefined || !handsOut(program, main)) return mainStrand;
    const mine = heldStrand(handle, caller);
    if (mine !== undefined) return mine;
    if (onlyDriver && !isHolder(main, caller)) return mainStrand;
    for (const strand of pulled(handle)) if (await isFree(context, handle, strand, caller)) return strand.id;
    if (nothingAt.get(handle) === handle.head) return undefined;
    const at = await context.store.now();
    const known = new Set(Object.keys(state.strands));
    const decision = await decide(context, handle, [{ input: { type: "pull", strand: mainStrand, at, by: actorOf(caller) } }]);
    if (decision.kind === "rejected") return undefined;
    const opened = pulled(handle).some((strand) => !known.has(strand.id));
    if (opened || !handsOut(handle.program, handle.state.strands[mainStrand])) continue;
    nothingAt.set(handle, handle.head);
    return undefined;
  }
}

/** Whoever is about to take a part has its lease before it is the holder. */
async function isFree({ store }: EngineContext, handle: RunHandle, strand: Strand, { leaseOwner }: Caller): Promise<boolean> {
  const lease = await store.readLease(strandLease(handle.id, strand.id));
  const alive = lease !== undefined && lease.expiresAt > (await store.now()) && lease.fence >= strand.fence;
  return !alive || (strand.holder === undefined && lease.owner === leaseOwner);
}
