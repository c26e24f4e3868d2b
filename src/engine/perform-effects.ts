import { isWaymarkError, own, textOf, type Json, type JsonObject } from "../base/index.ts";
import type { Effect, Outcome } from "../kernel/index.ts";
import type { CommandOutcome } from "../ports/index.ts";
import { botOf } from "./bots/bot-run.ts";
import { engineActor } from "./caller.ts";
import { checklistOf } from "./checklist/checklist-run.ts";
import type { EngineContext } from "./context.ts";
import { decide } from "./decide.ts";
import { rowsOf, type Performed } from "./effects/effect.ts";
import { machineOf } from "./machine/machine-run.ts";
import { parseOutput } from "./parse-output.ts";
import type { RunHandle } from "./run-cache.ts";
import { workspaceFolder } from "./workspace-folder.ts";

/** How an effect ended, once what it left behind is kept. May be asked again when it failed. */
type Settle = () => Promise<Performed>;

type LargeOutput = {
  readonly large: true;
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly preview: string;
};

const longestPause = 5_000;

/** Failures of the store that end by themselves or by a person making room. */
const passing: ReadonlySet<string> = new Set(["STORE_LOCKED", "STORE_FULL", "STORE_READ_ONLY", "STORE_FAILED"]);

/**
 * Performs the open effects of runs this process works on. An effect belongs to the process that holds its lease: no lease
 * yet means it never started; one that ran out means its process died in between, and the step's policy decides.
 */
export class EffectPerformer {
  readonly #context: () => EngineContext;
  readonly #running = new Map<string, AbortController>();
  readonly #pending = new Set<Promise<void>>();
  /** Effects that this process gave up on; another one may still take them up. */
  readonly #stuck = new Set<string>();
  readonly #closed = new AbortController();

  constructor(context: () => EngineContext) {
    this.#context = context;
  }

  /** Starts what is open and stops what is not wanted any more. */
  look(handle: RunHandle): void {
    if (this.#closed.signal.aborted) return;
    const prefix = `${handle.id}/`;
    for (const [key, controller] of this.#running) {
      if (key.startsWith(prefix) && handle.state.effects[key.slice(prefix.length)] === undefined) controller.abort();
    }
    for (const effect of Object.values(handle.state.effects)) {
      const key = `${prefix}${effect.id}`;
      if (this.#running.has(key) || this.#stuck.has(key)) continue;
      const controller = new AbortController();
      this.#running.set(key, controller);
      const work = this.#perform(handle, effect, controller.signal)
        .catch((error: unknown) => {
          // Stopped, not failed: whoever opens the run next takes it up.
          if (this.#closed.signal.aborted || controller.signal.aborted) return;
          // What failed for a reason of its own would fail again, and meanwhile the command would be repeated for ever.
          if (!isWaymarkError(error)) this.#stuck.add(key);
          this.#context().host.log("error", "An effect could not be settled.", { run: handle.id, effect: effect.id, error: String(error) });
        })
        .finally(() => {
          this.#running.delete(key);
          this.#pending.delete(work);
        });
      this.#pending.add(work);
    }
  }

  /** Stops what is running and waits for it. What was stopped is not recorded: it is interrupted, and its policy decides later. */
  async close(): Promise<void> {
    this.#closed.abort();
    for (const controller of this.#running.values()) controller.abort();
    await Promise.allSettled(this.#pending);
  }

  async #perform(handle: RunHandle, effect: Effect, signal: AbortSignal): Promise<void> {
    const { store, settings, host, runs } = this.#context();
    const key = `effect/${handle.id}/${effect.id}`;
    const taken = await this.#take(handle, effect, key);
    if (taken === undefined) return;
    const stopWatching = host.alarms.every(
      settings.leaseBeatMs,
      () =>
        void runs.refresh(handle).then(
          () => this.look(handle),
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
      // The lease of an interrupted effect stays behind, run out: whoever takes it up knows that it was begun.
      await (settled ? store.releaseLease(key, host.processId) : store.acquire(key, host.processId, taken.fence, 0)).catch(() => undefined);
    }
  }

  /** Takes the effect in hand, unless somebody else has it or it is done. */
  async #take(handle: RunHandle, effect: Effect, key: string): Promise<{ readonly lost: boolean; readonly fence: number } | undefined> {
    const { store, settings, host, runs, holding } = this.#context();
    const owner = host.processId;
    const asked = await store.now();
    const before = await store.readLease(key);
    if (before !== undefined && before.owner !== owner && before.expiresAt > asked) return undefined;
    const fence = (before?.fence ?? 0) + 1;
    const { granted, lease } = await store.acquire(key, owner, fence, settings.leaseTtlMs);
    if (!granted) return undefined;
    holding.beatFor(owner);
    // Whoever performed it gave the lease back only after its outcome was durable, so a fresh look tells whether it is still to do.
    await runs.refresh(handle);
    if (handle.state.effects[effect.id] !== undefined)
      return { fence, lost: before !== undefined || lease.beatAt - asked >= settings.leaseTtlMs };
    await store.releaseLease(key, owner);
    return undefined;
  }

  /** Keeps trying while the store cannot be written to: what was done must not be done again. */
  async #record(handle: RunHandle, effect: Effect, key: string, settle: Settle): Promise<void> {
    const context = this.#context();
    const by = engineActor(context.host.processId);
    for (let pause = 20; ; pause = Math.min(pause * 2, longestPause)) {
      try {
        const { outcome, change, facts, before = [] } = await settle();
        if ((await context.store.readLease(key))?.owner !== context.host.processId) return;
        await decide(context, handle, [
          ...before.map((input) => ({ input })),
          {
            input: async (draft) => ({
              type: "outcome",
              effect: effect.id,
              outcome,
              at: await context.store.now(),
              by,
              ...(change === undefined ? {} : { change: await change(rowsOf(context, handle.id, draft)) }),
            }),
            key: `effect:${effect.id}`,
            ...(facts === undefined ? {} : { facts }),
          },
        ]);
        return;
      } catch (error) {
        if (!isWaymarkError(error) || !passing.has(error.code) || this.#closed.signal.aborted) throw error;
        context.host.log("warn", "The outcome of an effect cannot be recorded yet.", {
          run: handle.id,
          effect: effect.id,
          error: error.message,
        });
        await context.host.alarms.wait(pause, this.#closed.signal);
      }
    }
  }

  /** The process that had it in hand died: it is done again, or the kernel goes by the step's policy. */
  async #takeUp(handle: RunHandle, effect: Effect, signal: AbortSignal): Promise<Settle | undefined> {
    const block = handle.program.blocks[effect.block];
    const policy = block?.kind === "do" ? (block.whenLost ?? "retry") : "retry";
    this.#context().host.log("warn", "An interrupted effect is taken up.", { run: handle.id, effect: effect.id, policy });
    return policy === "retry" ? this.#run(handle, effect, signal, true) : async () => ({ outcome: { ok: "lost" } });
  }

  /** undefined when it was stopped before its end. */
  async #run(handle: RunHandle, effect: Effect, signal: AbortSignal, again = false): Promise<Settle | undefined> {
    const failed =
      (code: string, message: string): Settle =>
      async () => ({ outcome: { ok: false, code, message } });
    try {
      if (effect.what === "shell") return await this.#shell(effect, signal);
      if (effect.what === "mcp") return await this.#tool(effect, signal);
      const performed = await this.#ofDialect(handle, { effect, again }, signal);
      if (performed !== "unknown") return performed === undefined ? undefined : async () => performed;
      return failed("STEP_FAILED", `This engine does not know the effect \`${effect.what}\` of run \`${handle.id}\`.`);
    } catch (error) {
      if (isWaymarkError(error)) return failed(error.code, error.message);
      throw error;
    }
  }

  /** Effects of a dialect, loaded with the first one: runs of others never wait for them. */
  async #ofDialect(
    handle: RunHandle,
    { effect, again }: { readonly effect: Effect; readonly again: boolean },
    signal: AbortSignal,
  ): Promise<Performed | undefined | "unknown"> {
    const scope = handle.state.strands[effect.strand]?.scope;
    const job = { context: this.#context(), handle, effect, signal };
    const checklist = checklistOf(handle, scope);
    if (checklist !== undefined) {
      const perform = own((await import("./effects/checklist-effects.ts")).checklistEffects, effect.what);
      return perform === undefined ? "unknown" : perform({ ...job, run: checklist });
    }
    const bot = botOf(handle, scope);
    if (bot !== undefined) {
      const perform = own((await import("./effects/bot-effects.ts")).botEffects, effect.what);
      return perform === undefined ? "unknown" : perform({ ...job, run: bot, again });
    }
    const machine = machineOf(handle, scope);
    if (machine === undefined) return "unknown";
    const perform = own((await import("./machine/machine-effects.ts")).machineEffects, effect.what);
    return perform === undefined ? "unknown" : perform({ ...job, run: machine });
  }

  async #shell(effect: Effect, signal: AbortSignal): Promise<Settle | undefined> {
    const { host, settings } = this.#context();
    const { command, cwd: asked, env, output_format: format } = effect.args;
    const cwd = typeof asked === "string" ? workspaceFolder(host.workspace, asked) : host.workspace;
    if (cwd === undefined) {
      const message = `\`${effect.step}\` was not started: its folder \`${textOf(asked)}\` lies outside the workspace.`;
      return async () => ({ outcome: { ok: false, code: "COMMAND_NOT_STARTED", message } });
    }
    const outcome = await host.commands.run({
      command: textOf(command),
      cwd,
      signal,
      timeoutMs: effect.timeoutMs ?? settings.commandTimeoutMs,
      keepBytes: settings.commandOutputBytes,
      ...(env === undefined || env === null ? {} : { env: textMap(env as JsonObject) }),
    });
    if (outcome.ended === "cancelled") return undefined;
    let large: LargeOutput | undefined;
    return async () => {
      if (outcome.stdout.file !== undefined) large ??= await this.#keep(outcome.stdout.file, outcome.stdout.text);
      const settled = await this.#outcomeOf(effect, outcome, { large, format: typeof format === "string" ? format : "text" });
      return { outcome: settled, ...(large === undefined ? {} : { facts: { output: { $blob: large.sha256, bytes: large.bytes } } }) };
    };
  }

  async #outcomeOf(
    effect: Effect,
    outcome: CommandOutcome,
    { large, format }: { readonly large: LargeOutput | undefined; readonly format: string },
  ): Promise<Outcome> {
    const problem = commandProblem(effect, outcome);
    if (problem !== undefined) return problem;
    if (large === undefined) return parseOutput(outcome.stdout.text, format, effect.step);
    if (format === "text") return { ok: true, value: large };
    const bytes = await this.#context().store.readBlob(large.sha256);
    return bytes === undefined ? { ok: true, value: large } : parseOutput(new TextDecoder().decode(bytes), format, effect.step);
  }

  /** Output beyond the limit stays in a file; the state holds where it is and how it begins. */
  async #keep(file: string, head: string): Promise<LargeOutput> {
    const { store } = this.#context();
    const facts = await store.adoptBlob(file);
    return { large: true, path: store.blobPath(facts.hash), bytes: facts.bytes, sha256: facts.hash, preview: head.slice(0, 2048) };
  }

  async #tool(effect: Effect, signal: AbortSignal): Promise<Settle | undefined> {
    const { host, settings } = this.#context();
    const params = (effect.args["params"] ?? {}) as JsonObject;
    const outcome = await host.tools.call(textOf(effect.args["method"]), params, {
      timeoutMs: effect.timeoutMs ?? settings.commandTimeoutMs,
      signal,
    });
    if (outcome === undefined) return async () => ({ outcome: { ok: "cannot" } });
    if (!outcome.ok && signal.aborted) return undefined;
    const failed = `\`${textOf(effect.args["method"])}\` failed: ${outcome.ok ? "" : outcome.message}`;
    return async () => ({ outcome: outcome.ok ? { ok: true, value: outcome.value } : { ok: false, code: "TOOL_FAILED", message: failed } });
  }
}

function commandProblem(effect: Effect, outcome: CommandOutcome): Outcome | undefined {
  const tail = outcome.stderr.trim() === "" ? "" : ` Its error output ends with: ${outcome.stderr.trim().slice(-600)}`;
  switch (outcome.ended) {
    case "timeout":
      return { ok: false, code: "TIMEOUT", message: `\`${effect.step}\` was stopped after ${effect.timeoutMs ?? outcome.ms} ms.${tail}` };
    case "cancelled":
      return { ok: "lost" };
    case "not_started":
      return {
        ok: false,
        code: "COMMAND_NOT_STARTED",
        message: `\`${effect.step}\` could not be started: ${outcome.problem ?? "unknown reason"}.`,
      };
    case "exit": {
      if (outcome.exitCode === 0) return undefined;
      const how = outcome.exitCode === null ? `was ended by ${outcome.signal ?? "a signal"}` : `ended with exit code ${outcome.exitCode}`;
      return { ok: false, code: "COMMAND_FAILED", message: `The command of \`${effect.step}\` ${how}.${tail}` };
    }
  }
}

function textMap(values: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value as Json)]),
  );
}
