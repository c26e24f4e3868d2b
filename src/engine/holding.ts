import { defined, isoTime, isWaymarkError, roughTime } from "../base/index.ts";
import { mainStrand, sameHolder, type Action, type Rejected, type Strand } from "../kernel/index.ts";
import type { Lease } from "../ports/index.ts";
import { actorOf, engineActor, type Caller } from "./caller.ts";
import { fromRejected, refused } from "./codes.ts";
import type { EngineContext, Holders } from "./context.ts";
import { commitInputs } from "./commit-inputs.ts";
import type { Request } from "./draft.ts";
import { endLeftAgents } from "./end-abandoned.ts";
import { refuseElsewhere } from "./folder-here.ts";
import { strandLease } from "./lease-keys.ts";
import { isAlive, takeLease } from "./lease-life.ts";
import type { RunHandle } from "./run-cache.ts";

/** The lease of who drives the strand and is alive, at the store's time. A lease of before the last claim does not count. */
export async function readLife(
  context: Pick<EngineContext, "store" | "host">,
  run: string,
  { id, fence }: Pick<Strand, "id" | "fence">,
): Promise<{ readonly at: number; readonly alive: Lease | undefined }> {
  const lease = await context.store.readLease(strandLease(run, id));
  const at = await context.store.now();
  return { at, alive: isAlive(context, lease, at) && lease.fence >= fence ? lease : undefined };
}

/** From whom a strand may be taken, and the open action that the caller reports. */
interface Taking {
  readonly takeOver?: boolean;
  readonly keeps?: string;
}

const mostTries = 3;
const mostRemembered = 4096;

/** Another caller was quicker: what is true now has to be looked at again. */
const overtaken: ReadonlySet<string> = new Set(["STRAND_HELD", "STRAND_NOT_HELD"]);

/** Who drives which strand. Claims are journaled; leases say whether the holder is alive, and this process beats for its own. */
export class Holding implements Holders {
  readonly #context: () => EngineContext;
  /** Whom this process beats for, and until when, unless they call again. */
  readonly #owners = new Map<string, number>();
  /** Leases this process took and until when they surely last; only saves asking the store. */
  readonly #held = new Map<string, { readonly owner: string; readonly fence: number; until: number }>();
  #beating: (() => void) | undefined;

  constructor(context: () => EngineContext) {
    this.#context = context;
  }

  take(handle: RunHandle, strand: string, caller: Caller, takeOver: boolean): Promise<void> {
    return this.#take(handle, strand, caller, { takeOver });
  }

  async takeReported(handle: RunHandle, { id: keeps, strand, what }: Action, caller: Caller): Promise<void> {
    await this.called(caller);
    const { state } = handle;
    const held = state.strands[strand];
    // A step with tasks ends with them: nobody reports it.
    if (held === undefined || state.status !== "running" || what === "parallel_tasks" || sameHolder(held.holder, caller.holder)) return;
    const { alive } = await readLife(this.#context(), handle.id, held);
    if (alive === undefined || (held.holder === undefined && alive.owner === caller.leaseOwner))
      await this.#take(handle, strand, caller, { keeps });
  }

  async called(caller: Caller): Promise<void> {
    const owner = caller.leaseOwner;
    const before = this.#owners.get(owner);
    if (before === undefined) return;
    const { store, settings } = this.#context();
    const now = await store.now();
    this.#owners.set(owner, this.#idleAt(caller, now));
    // Its leases end before the next beat could know of this call.
    if (before - now < settings.leaseTtlMs) await store.beat(owner, settings.leaseTtlMs);
  }

  /** When a caller that does not call again loses what it holds. */
  #idleAt({ holder, stays }: Caller, at: number): number {
    const { agentIdleMs, idleAfterMs } = this.#context().settings;
    return stays === true ? Infinity : at + (holder.kind === "agent" ? agentIdleMs : idleAfterMs);
  }

  async #take(handle: RunHandle, strandId: string, caller: Caller, how: Taking): Promise<void> {
    await this.called(caller);
    for (let tries = 1; ; tries += 1) {
      const strand = handle.state.strands[strandId];
      if (strand === undefined) return;
      if (sameHolder(strand.holder, caller.holder)) return this.#keep(handle, strand, caller);
      const rejected = await this.#claim(handle, strand, caller, how);
      if (rejected === undefined) return;
      if (tries === mostTries || !overtaken.has(rejected.code)) throw fromRejected(rejected);
      await this.#context().runs.refresh(handle);
    }
  }

  async refuseHeld(handle: RunHandle, strand: Strand, caller: Caller): Promise<void> {
    if (!sameHolder(strand.holder, caller.holder)) await this.#checkHeld(handle, strand, caller, false);
  }

  async #checkHeld(handle: RunHandle, strand: Strand, caller: Caller, takeOver: boolean): ReturnType<typeof readLife> {
    const { at, alive } = await readLife(this.#context(), handle.id, strand);
    const others = strand.holder !== undefined || alive?.owner !== caller.leaseOwner;
    if (alive !== undefined && others && !takeOver) throw this.#heldBy(handle, strand, { lease: alive, at, caller });
    return { at, alive };
  }

  /** The lease comes before the claim, so that a look in between already sees a living holder. */
  async #claim(handle: RunHandle, strand: Strand, caller: Caller, { takeOver = false, keeps }: Taking): Promise<Rejected | undefined> {
    const context = this.#context();
    const { store } = context;
    if (keeps === undefined) refuseElsewhere(context, handle, strand.waits?.on === "action" ? strand.id : mainStrand);
    const { at, alive } = await this.#checkHeld(handle, strand, caller, takeOver);
    const key = strandLease(handle.id, strand.id);
    const other = await this.#acquire(key, strand.fence + 1, caller, () => takeOver);
    if (other !== undefined) throw this.#heldBy(handle, strand, { lease: other, at, caller });
    // A driver has the strand at once, and sees to it itself before an agent of its own begins.
    if (strand.holder !== undefined && alive === undefined && caller.stays !== true) await endLeftAgents(context);
    const lost = {
      why: alive === undefined ? ("lost" as const) : ("taken_over" as const),
      by: alive === undefined ? engineActor(context.host.processId) : actorOf(caller),
    };
    const release: Request[] =
      strand.holder === undefined ? [] : [{ input: { type: "release", strand: strand.id, fence: strand.fence, at, ...lost } }];
    const decision = await commitInputs(context, handle, [
      ...release,
      { input: { type: "claim", strand: strand.id, holder: caller.holder, at, by: actorOf(caller), ...defined({ keeps }) } },
    ]);
    if (decision.kind !== "rejected") return undefined;
    this.#held.delete(key);
    await store.releaseLease(key, caller.leaseOwner);
    return decision.rejected;
  }

  /** The lease of a run that is about to be created, whose main strand the caller will hold. */
  async takeNew(run: string, strand: string, caller: Caller): Promise<void> {
    await this.#acquire(strandLease(run, strand), 1, caller, () => false);
  }

  async release(owner: string, run?: string): Promise<void> {
    if (run === undefined) this.#owners.delete(owner);
    const prefix = run === undefined ? "strand/" : strandLease(run, "");
    for (const [key, held] of this.#held) if (held.owner === owner && key.startsWith(prefix)) this.#held.delete(key);
    await this.#context().store.releaseLeases(owner, prefix);
  }

  beatFor(owner: string, until: number = Infinity): void {
    this.#owners.set(owner, until);
    if (this.#beating !== undefined) return;
    const { host, settings } = this.#context();
    this.#beating = host.alarms.every(settings.leaseBeatMs, () => void this.#beat());
  }

  close(): void {
    this.#beating?.();
    this.#beating = undefined;
  }

  async #beat(): Promise<void> {
    const { store, host, settings } = this.#context();
    for (const [owner, until] of this.#owners) {
      try {
        const begun = await store.now();
        const ttl = Math.min(settings.leaseTtlMs, until - begun);
        if (ttl <= 0) continue;
        await store.beat(owner, ttl);
        const done = await store.now();
        for (const held of this.#held.values())
          if (held.owner === owner && held.until > done) held.until = Math.max(held.until, begun + ttl);
      } catch (error) {
        // A caller took a strand while the engine was being closed: nobody is left to beat for.
        if (isWaymarkError(error) && error.code === "STORE_CLOSED") return this.close();
        host.log("warn", `A heartbeat failed: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }

  /** The holder calls again: its lease may have run out while nobody else wanted the strand. */
  async #keep(handle: RunHandle, strand: Strand, caller: Caller): Promise<void> {
    const { store } = this.#context();
    const key = strandLease(handle.id, strand.id);
    const held = this.#held.get(key);
    const known = held?.owner === caller.leaseOwner && held.fence === strand.fence && caller.leaseTtlMs === undefined;
    if (known && (await store.now()) < held.until) return;
    await this.#acquire(key, strand.fence, caller, (lease) => lease.fence <= strand.fence);
  }

  /** Answers the lease that is in the way and may not be taken away, if any. */
  async #acquire(key: string, fence: number, caller: Caller, force: (lease: Lease) => boolean): Promise<Lease | undefined> {
    const context = this.#context();
    const ttlMs = caller.leaseTtlMs ?? context.settings.leaseTtlMs;
    const { granted, lease } = await takeLease(context, { key, owner: caller.leaseOwner, fence, ttlMs }, force);
    if (!granted) return lease;
    if (this.#held.size > mostRemembered) this.#held.clear();
    this.#held.set(key, { owner: caller.leaseOwner, fence, until: lease.expiresAt });
    if (caller.leaseTtlMs === undefined) this.beatFor(caller.leaseOwner, this.#idleAt(caller, lease.beatAt));
    return undefined;
  }

  /**
   * When the holder loses the strand at the latest, unless it calls again; Infinity for one that stays. When a holder of another process called
   * last is not known here.
   */
  #freeBy(holder: Strand["holder"], { owner, beatAt, expiresAt }: Lease, at: number): number {
    const { agentIdleMs, idleAfterMs, leaseTtlMs } = this.#context().settings;
    // Nobody beats for a lease of its own length.
    if (expiresAt - beatAt > leaseTtlMs) return expiresAt;
    if (holder?.kind === "worker") return Infinity;
    return this.#owners.get(owner) ?? at + (holder?.kind === "agent" ? agentIdleMs : idleAfterMs);
  }

  #heldBy(
    { id: run, state }: RunHandle,
    { holder, waits }: Strand,
    { lease, at, caller }: { readonly lease: Lease; readonly at: number; readonly caller: Caller },
  ): Error {
    const open = waits?.on === "action" ? state.actions[waits.id] : undefined;
    const stale = open !== undefined && at - open.openedAt > this.#context().settings.idleAfterMs;
    const name = holder?.name ?? lease.owner;
    const since =
      open === undefined
        ? ""
        : ` It was given \`${open.step}\` ${Math.round((at - open.openedAt) / 1000)} s ago${stale ? " and has not reported since: it looks stale" : ""}.`;
    const by = this.#freeBy(holder, lease, at);
    const back = caller.holder.kind === "person" ? `, and give it back with \`waymark checkpoint ${run}\`` : "";
    return refused(
      "STRAND_HELD",
      `This part of run \`${run}\` is held by ${holder?.kind ?? "another caller"} \`${name}\`.${since} ${freeText(by, at)}`,
      `You are not needed in it now: ask for its next step later. Only a person can take it over, with \`waymark resume ${run}\` in a terminal${back}.`,
      {
        run_id: run,
        holder: name,
        lease_ends_in_ms: Math.max(0, lease.expiresAt - at),
        ...(by === Infinity ? {} : { free_at: isoTime(by) }),
        stale,
      },
    );
  }
}

function freeText(by: number, at: number): string {
  if (by === Infinity) return "It drives this part, which is free when it ends.";
  return `If nothing is heard of it, this part is free in ${roughTime(by - at)}, at ${isoTime(by).slice(11, 16)} UTC at the latest.`;
}
