import { isWaymarkError } from "../base/index.ts";
import { engineActor } from "./caller.ts";
import type { EngineContext, Timers } from "./context.ts";
import { commitInputs } from "./commit-inputs.ts";
import type { RunHandle } from "./run-cache.ts";

/** Longest wait before the store is looked at again: another process may have set an earlier timer. */
const longestWait = 60_000;

const waitAfterFailure = 2_000;

/** Wakes strands whose time has come, for the runs this process works on. Due times are in the journal; this is only the alarm. */
export class RunTimers implements Timers {
  readonly #context: () => EngineContext;
  readonly alarms: Map<string, () => void> = new Map();
  readonly #pending = new Set<Promise<void>>();
  #closed = false;

  constructor(context: () => EngineContext) {
    this.#context = context;
  }

  setAlarm(handle: RunHandle): void {
    this.alarms.get(handle.id)?.();
    this.alarms.delete(handle.id);
    const due = Math.min(...Object.values(handle.state.timers).map((timer) => timer.due));
    if (this.#closed || !Number.isFinite(due)) return;
    const task = this.#arm(handle, due).finally(() => this.#pending.delete(task));
    this.#pending.add(task);
  }

  async wakeDue(handle: RunHandle): Promise<void> {
    const due = Math.min(...Object.values(handle.state.timers).map((timer) => timer.due));
    if (due <= (await this.#context().store.now())) await this.#ring(handle);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const turnOff of this.alarms.values()) turnOff();
    this.alarms.clear();
    await Promise.allSettled(this.#pending);
  }

  async #arm(handle: RunHandle, due: number): Promise<void> {
    const now = await this.#context().store.now();
    if (this.#closed) return;
    this.#alarm(handle, Math.max(0, Math.min(due - now, longestWait)));
  }

  #alarm(handle: RunHandle, ms: number): void {
    this.alarms.get(handle.id)?.();
    const turnOff = this.#context().host.alarms.after(ms, () => {
      const task = this.#ring(handle)
        .catch((error: unknown) => this.#failed(handle, error))
        .finally(() => this.#pending.delete(task));
      this.#pending.add(task);
    });
    this.alarms.set(handle.id, turnOff);
  }

  /** A store that is locked or full now may not be a little later. */
  #failed(handle: RunHandle, error: unknown): void {
    this.#context().host.log("error", "A timer could not be handled.", { run: handle.id, error: String(error) });
    const gone = isWaymarkError(error) && error.code === "ENGINE_NO_RUN";
    if (!this.#closed && !gone) this.#alarm(handle, waitAfterFailure);
  }

  async #ring(handle: RunHandle): Promise<void> {
    if (this.#closed) return;
    const context = this.#context();
    await context.runs.refresh(handle);
    const now = await context.store.now();
    const by = engineActor(context.host.processId);
    for (const timer of Object.values(handle.state.timers)) {
      if (timer.due > now || this.#closed) continue;
      await commitInputs(context, handle, [{ input: { type: "woke", timer: timer.id, at: now, by }, key: `timer:${timer.id}` }]);
    }
    this.setAlarm(handle);
  }
}
