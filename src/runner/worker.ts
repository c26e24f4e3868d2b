import { defined, isWaymarkError, type WaymarkError } from "../base/index.ts";
import { isPaused, sameHolder, type Strand } from "../kernel/index.ts";
import { freeTask, next, type Caller, type Position, type RunHandle } from "../engine/index.ts";
import { standingOf, workingText } from "../views/index.ts";
import type { AgentSteps } from "./agent-steps.ts";
import type { DriveEnd, DriveRequest, RunnerParts } from "./drive-request.ts";
import { waitingEnd } from "./waiting-end.ts";

/** Longer than any run: the engine's own limit is for callers that ask again. */
const yearMs = 365 * 86_400_000;

/** What a person has to change first, for every worker. */
const refusing: ReadonlySet<string> = new Set(["ENGINE_NOT_ALLOWED", "AGENTS_NOT_ALLOWED"]);
/** Another holder has what this worker wanted, or has taken or ended what it had, maybe between its last look and its report. */
const held: ReadonlySet<string> = new Set(
  "ENGINE_FOLDER_ELSEWHERE STRAND_HELD HOLDER_LOST STRAND_NOT_HELD STRAND_ENDED ENGINE_NO_ACTION ACTION_NOT_OPEN RUN_ENDED".split(" "),
);

/** Why a worker has nothing to do at a head of the run. */
export type Pause =
  | { readonly kind: "over" }
  /** No worker begins anything after this: `interrupted` where that was said before. */
  | { readonly kind: "stop"; readonly end: DriveEnd }
  | { readonly kind: "interrupted"; readonly end: DriveEnd }
  /** What its own strand came to. A change of the run may bring more. */
  | { readonly kind: "rest"; readonly end: DriveEnd }
  /** Nothing for this worker, as long as others have what there is. */
  | { readonly kind: "idle"; readonly end: DriveEnd };

type Part = { readonly task?: string; readonly strand?: string };

export interface WorkerParts {
  readonly parts: RunnerParts;
  /** `finish` is that of all workers. */
  readonly request: DriveRequest;
  readonly steps: AgentSteps;
  readonly caller: Caller;
}

/** One holder that goes through a run: the main strand, or any part that is free. One part, one agent at a time. */
export class Worker {
  readonly caller: Caller;
  readonly #parts: RunnerParts;
  readonly #request: DriveRequest;
  readonly #steps: AgentSteps;

  constructor({ parts, request, steps, caller }: WorkerParts) {
    this.caller = caller;
    this.#parts = parts;
    this.#request = request;
    this.#steps = steps;
  }

  /** Works until there is nothing for it to do. */
  async work(): Promise<Pause> {
    try {
      const mine = this.#own(await this.#open());
      return (
        (mine === undefined ? undefined : await this.#strand({ strand: mine })) ??
        (await this.#strand({})) ??
        this.#idle("Nothing is left to do here.")
      );
    } catch (error) {
      if (!isWaymarkError(error)) throw error;
      if (refusing.has(error.code)) return { kind: "stop", end: { ...this.#parked(error.message), ...(await this.#missing(error)) } };
      if (held.has(error.code)) return this.#idle(error.message);
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#steps.close();
  }

  #open(): Promise<RunHandle> {
    return this.#parts.context.runs.open(this.#request.run);
  }

  /** What a person must allow before driving the run again helps. */
  async #missing({ code, details }: WaymarkError): Promise<Pick<Extract<DriveEnd, { kind: "parked" }>, "allow">> {
    if (code === "ENGINE_NOT_ALLOWED") return { allow: { workflow: (await this.#open()).program.name } };
    const { agent } = details;
    return typeof agent === "string" ? { allow: { agent } } : {};
  }

  /** Drives the run, one task of it, or one strand. undefined when that is over and the run is not. */
  async #strand(of: Part): Promise<Pause | undefined> {
    const whole = of.task === undefined && of.strand === undefined;
    for (;;) {
      // The last turn before an interruption may have ended the run.
      if (this.#request.finish.aborted && (await this.#open()).state.status === "running")
        return { kind: "interrupted", end: this.#parked("It was interrupted.") };
      const position = await this.#next(of);
      const pause = await this.#at(position);
      if (pause?.kind === "over" && !whole && position.state.status === "running") return undefined;
      if (pause !== undefined) return pause;
    }
  }

  #next(of: Part): Promise<Position> {
    const { finish: signal, run } = this.#request;
    return next(this.#parts.context, this.caller, { run, waitMs: yearMs, signal, waitForOthers: false, ...of });
  }

  /** Does what there is to do at a position. undefined: asked again, there may be more. */
  async #at(position: Position): Promise<Pause | undefined> {
    const { standing } = position;
    switch (standing.kind) {
      case "action":
        return standing.action.what === "parallel_tasks" ? this.#beside(position) : this.#give(position);
      case "joining":
        return this.#beside(position);
      case "working":
        return { kind: "rest", end: this.#parked(`The engine is ${workingText(defined({ on: standing.on }))}.`, standing.until) };
      case "question":
      case "blocked":
        return this.#waits(position);
      case "task_ended":
      case "ended":
        return { kind: "over" };
    }
  }

  async #give(position: Position): Promise<Pause | undefined> {
    const end = await this.#steps.give(position);
    if (end === undefined) return undefined;
    return { kind: this.#request.finish.aborted ? "interrupted" : "stop", end };
  }

  /** Tasks are for all workers; those that others have are waited for. */
  async #beside(position: Position): Promise<Pause | undefined> {
    const found = await this.#elsewhere(position);
    if (found !== undefined) return found === "done" ? undefined : found;
    const { state, strand, standing } = position;
    const itself = standingOf(state, strand);
    if (standing.kind === "action" && !(itself.kind === "action" && itself.action.id === standing.action.id)) {
      // The tasks run beside work of the strand itself, which is shown to who has them.
      this.#parts.context.handOuts.tookTasks(this.caller, position.run, standing.action.id);
      return undefined;
    }
    return this.#idle("All that is left is with others.");
  }

  /** Works on another part that is open, if there is one for this worker. */
  async #elsewhere({ strand }: Position): Promise<Pause | "done" | undefined> {
    const handle = await this.#open();
    const found = this.#own(handle, strand) ?? (await freeTask(this.#parts.context, handle, this.caller)) ?? this.#unheld(handle, strand);
    return found === undefined || found === strand ? undefined : ((await this.#strand({ strand: found })) ?? "done");
  }

  #own(handle: RunHandle, but?: string): string | undefined {
    return openParts(handle, but).find(({ holder }) => sameHolder(holder, this.caller.holder))?.id;
  }

  #unheld(handle: RunHandle, but: string): string | undefined {
    return openParts(handle, but).find(({ holder }) => holder === undefined)?.id;
  }

  /** What waits for a person or a time waits while there is other work. */
  async #waits(position: Position): Promise<Pause | undefined> {
    const found = await this.#elsewhere(position);
    if (found !== undefined) return found === "done" ? undefined : found;
    const end = waitingEnd(position, position.standing);
    return end === undefined ? undefined : { kind: "rest", end };
  }

  #idle(why: string): Pause {
    return { kind: "idle", end: this.#parked(why) };
  }

  #parked(why: string, until?: number): Extract<DriveEnd, { kind: "parked" }> {
    return { run: this.#request.run, kind: "parked", why, ...defined({ until }) };
  }
}

/** Strands with an open step that can be done now. */
function openParts({ state }: RunHandle, but: string | undefined): readonly Strand[] {
  return Object.values(state.strands).filter(({ id, waits }) => {
    const action = waits?.on === "action" ? state.actions[waits.id] : undefined;
    return id !== but && action !== undefined && action.what !== "parallel_tasks" && !isPaused(state, id);
  });
}
