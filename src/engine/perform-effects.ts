import { isWaymarkError } from "../base/index.ts";
import { mainScope, mainStrand, type Effect } from "../kernel/index.ts";
import { engineActor } from "./caller.ts";
import type { Effects, EngineContext } from "./context.ts";
import { commitInputs } from "./commit-inputs.ts";
import { rowsOf } from "./draft.ts";
import { endAbandoned } from "./end-abandoned.ts";
import { endCancelled } from "./end-cancelled.ts";
import { deniedEffect } from "./permission.ts";
import { folderElsewhere } from "./folder-here.ts";
import { effectLease } from "./lease-keys.ts";
import { isAlive, takeLease } from "./lease-life.ts";
import type { RunHandle } from "./run-cache.ts";
import type { Settle } from "./runtime.ts";

const longestPause = 5_000;

/** How `running` names an effect. */
export function effectKey(run: string, effect: string): string {
  return `${run}/${effect}`;
}

/** What the store refuses for what it says, so that it would be refused again. */
const refusing: ReadonlySet<string> = new Set(["STORE_BAD_TEXT", "STORE_NAME_TOO_LONG", "STORE_REFUSED"]);
/** Failures of the store that end by themselves or by a person making room. */
const passing: ReadonlySet<string> = new Set(["STORE_LOCKED", "STORE_FULL", "STORE_READ_ONLY", "STORE_FAILED", "STORE_UNREACHABLE"]);

/**
 * Performs the open effects of runs this process works on. An effect belongs to the process that holds its lease: no lease
 * yet means it never started; one that ran out means its process died in between, and the step's policy decides.
 */
export class EffectPerformer implements Effects {
  readonly #context: () => EngineContext;
  readonly running: Map<string, AbortController> = new Map();
  /** What is running, with its run. */
  readonly #pending = new Map<Promise<void>, string>();
  readonly #holds = new Set<{ readonly run: string | undefined }>();
  /** Effects that this process gave up on; another one may still take them up. */
  readonly #stuck = new Set<string>();
  readonly #closed = new AbortController();
  #endingAbandoned: Promise<void> | undefined;

  constructor(context: () => EngineContext) {
    this.#context = context;
  }

  startOpen(handle: RunHandle): void {
    if (this.#closed.signal.aborted) return;
    const prefix = effectKey(handle.id, "");
    for (const [key, controller] of this.running) {
      if (key.startsWith(prefix) && handle.state.effects[key.slice(prefix.length)] === undefined) controller.abort();
    }
    if (this.#isHeld(handle.id) || folderElsewhere(this.#context(), handle, mainStrand) !== undefined) return;
    for (const effect of Object.values(handle.state.effects)) {
      const key = effectKey(handle.id, effect.id);
      if (this.running.has(key) || this.#stuck.has(key)) continue;
      const controller = new AbortController();
      this.running.set(key, controller);
      const work = this.#perform(handle, effect, controller.signal)
        .catch((error: unknown) => {
          // Stopped, not failed: the process that opens the run next takes it up.
          if (this.#closed.signal.aborted || controller.signal.aborted) return;
          // What failed for a reason of its own would fail again, and meanwhile the command would be repeated forever.
          if (!isWaymarkError(error) || refusing.has(error.code)) this.#stuck.add(key);
          this.#context().host.log("error", "An effect could not be settled.", { run: handle.id, effect: effect.id, error: String(error) });
        })
        .finally(() => {
          this.running.delete(key);
          this.#pending.delete(work);
        });
      this.#pending.set(work, handle.id);
    }
  }

  /** What is open begins no more, of one run or of all, until the answer is called. What is running comes to its end. */
  hold(run?: string): () => void {
    const hold = { run };
    this.#holds.add(hold);
    return () => void this.#holds.delete(hold);
  }

  #isHeld(run: string): boolean {
    for (const hold of this.#holds) if (hold.run === undefined || hold.run === run) return true;
    return false;
  }

  /** Waits for what is running, of one run or of all, unless the signal says to stop. The signal is asked for only where there is something to wait for. */
  async settle(stop: () => AbortSignal, run?: string): Promise<void> {
    const works = [...this.#pending].flatMap(([work, of]) => (run === undefined || of === run ? [work] : []));
    if (works.length === 0) return;
    const signal = stop();
    const stopped = new Promise<void>((done) => {
      if (signal.aborted) done();
      else signal.addEventListener("abort", () => done(), { once: true });
    });
    await Promise.race([Promise.allSettled(works), stopped]);
  }

  /** Stops what is running and waits for it. What was stopped is not recorded: it is interrupted, and its policy decides later. */
  async close(): Promise<void> {
    this.#closed.abort();
    for (const controller of this.running.values()) controller.abort();
    await Promise.allSettled([...this.#pending.keys(), this.#endingAbandoned]);
  }

  async #perform(handle: RunHandle, effect: Effect, signal: AbortSignal): Promise<void> {
    const { store, settings, host, runs } = this.#context();
    const key = effectLease(handle.id, effect.id);
    const taken = await this.#take(handle, effect, key);
    if (taken === undefined) return;
    // Not begun, so nothing is interrupted.
    if (signal.aborted && !taken.lost) {
      await store.releaseLease(key, host.processId);
      return;
    }
    const stopWatching = host.alarms.every(
      settings.leaseBeatMs,
      () =>
        void runs.refresh(handle).then(
          () => this.startOpen(handle),
          () => undefined,
        ),
    );
    let settled = false;
    try {
      const outcome = taken.lost ? await this.#takeUp(handle, effect, signal) : await this.#run(handle, effect, signal);
      if (outcome !== undefined) await this.#record(handle, effect, key, outcome);
      settled = outcome !== undefined || handle.state.effects[effect.id] === undefined;
    } finally {
      stopWatching();
      // The lease of an interrupted effect stays behind, run out: the process that takes it up knows that it was begun.
      await (settled ? store.releaseLease(key, host.processId) : store.acquire(key, host.processId, taken.fence, 0)).catch(() => undefined);
    }
  }

  /** Takes the effect, unless another process has it or it is done. */
  async #take(handle: RunHandle, effect: Effect, key: string): Promise<{ readonly lost: boolean; readonly fence: number } | undefined> {
    const context = this.#context();
    const { store, settings, host, runs, holding } = context;
    const owner = host.processId;
    const asked = await store.now();
    const before = await store.readLease(key);
    if (isAlive(context, before, asked) && before.owner !== owner) return undefined;
    const fence = (before?.fence ?? 0) + 1;
    const { granted, lease, from } = await takeLease(context, { key, owner, fence, ttlMs: settings.leaseTtlMs });
    if (!granted) return undefined;
    holding.beatFor(owner);
    // The process that performed it gave the lease back only after its outcome was durable, so a fresh look tells whether it is still to do.
    await runs.refresh(handle);
    if (handle.state.effects[effect.id] !== undefined)
      return { fence, lost: (before ?? from) !== undefined || lease.beatAt - asked >= settings.leaseTtlMs };
    await store.releaseLease(key, owner);
    return undefined;
  }

  /**
   * Keeps trying while the store cannot be written to: what was done must not be done again. Of an outcome that the store refuses it is recorded
   * that it was, as a failure.
   */
  async #record(handle: RunHandle, effect: Effect, key: string, performed: Settle): Promise<void> {
    const context = this.#context();
    const by = engineActor(context.host.processId);
    let settle = performed;
    for (let pause = 20; ; pause = Math.min(pause * 2, longestPause)) {
      try {
        const { outcome, change, facts, doubt, warnings, before = [] } = await settle();
        await commitInputs(context, handle, [
          ...before.map((input) => ({ input })),
          {
            input: async (draft) => ({
              type: "outcome",
              effect: effect.id,
              outcome,
              at: await context.store.now(),
              by,
              ...(doubt === undefined ? {} : { doubt }),
              ...(warnings === undefined ? {} : { warnings }),
              ...(change === undefined ? {} : { change: await change(rowsOf(context, handle.id, draft)) }),
            }),
            key: `effect:${effect.id}`,
            // Who takes the effect up looks at the run after it has taken the lease: what is recorded by then is done, and nothing else follows.
            held: { key, owner: context.host.processId },
            ...(facts === undefined ? {} : { facts }),
          },
        ]);
        return;
      } catch (error) {
        if (!isWaymarkError(error) || this.#closed.signal.aborted) throw error;
        if (refusing.has(error.code) && settle === performed) {
          const { code } = error;
          const message = `The outcome of \`${effect.step}\` cannot be recorded: ${error.message}`;
          settle = async () => ({ outcome: { ok: false, code, message, final: true } });
          continue;
        }
        if (!passing.has(error.code)) throw error;
        context.host.log("warn", "The outcome of an effect cannot be recorded yet.", {
          run: handle.id,
          effect: effect.id,
          error: error.message,
        });
        await context.host.alarms.wait(pause, this.#closed.signal);
      }
    }
  }

  /**
   * The process that performed it died: it is done again, or the kernel goes by the step's policy. Before that nothing may be left of its
   * command: what is done again is ended, all else comes to its own end.
   */
  async #takeUp(handle: RunHandle, effect: Effect, signal: AbortSignal): Promise<Settle | undefined> {
    const block = handle.program.blocks[effect.block];
    const policy = block?.kind === "do" ? (block.whenLost ?? "retry") : "retry";
    const { host } = this.#context();
    // The lines of the run tell people what becomes of it.
    host.log("info", "An interrupted effect is taken up.", { run: handle.id, effect: effect.id, policy });
    const key = { run: handle.id, effect: effect.id };
    if (!(await host.commands.settle(key, policy === "retry" ? "end" : "await", signal))) {
      // Not wanted any more, rather than left to another process.
      if (!this.#closed.signal.aborted) await host.commands.settle(key, "end", this.#closed.signal);
      return undefined;
    }
    return policy === "retry" ? this.#run(handle, effect, signal, true) : async () => ({ outcome: { ok: "lost" } });
  }

  /** undefined when it was stopped before its end. */
  async #run(handle: RunHandle, effect: Effect, signal: AbortSignal, again = false): Promise<Settle | undefined> {
    const context = this.#context();
    this.#endingAbandoned ??= endAbandoned(context, this.#closed.signal).catch((error: unknown) =>
      context.host.log("warn", "Commands that dead processes left could not be ended.", { error: String(error) }),
    );
    const failed =
      (code: string, message: string): Settle =>
      async () => ({ outcome: { ok: false, code, message } });
    try {
      const leaf = context.leaves.ofOpen(handle, effect);
      if (leaf?.perform === undefined)
        return failed("ENGINE_UNKNOWN_LEAF", `This engine does not know the effect \`${effect.what}\` of run \`${handle.id}\`.`);
      const denied = await deniedEffect(context, handle, effect);
      if (denied !== undefined) return denied;
      if (!(await endCancelled(context, handle, signal))) return undefined;
      const at = context.leaves.at(context, handle, handle.state.strands[effect.strand]?.scope ?? mainScope, effect.strand);
      const performed = await leaf.perform({ ...at, effect, signal, again });
      return performed === undefined || typeof performed === "function" ? performed : async () => performed;
    } catch (error) {
      if (isWaymarkError(error)) return failed(error.code, error.message);
      throw error;
    }
  }
}
