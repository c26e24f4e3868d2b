import { defined, isWaymarkError, type WaymarkError } from "../base/index.ts";
import { sameHolder, type Strand } from "../kernel/index.ts";
import { next, plainDriver, retryRun, waitForChange, type Caller, type Position } from "../engine/index.ts";
import { openQuestions } from "../views/index.ts";
import type { DriveEnd, DriveRequest, RunnerParts } from "./drive-request.ts";
import { openAgentSteps, type AgentSteps } from "./agent-steps.ts";
import { waitForTime } from "./wait-for-time.ts";

/** Longer than any run: the engine's own limit is for callers that ask again. */
const yearMs = 365 * 86_400_000;
const longestLook = 500;

/** What another holder or a person has to change first. */
const parking: ReadonlySet<string> = new Set(["STRAND_HELD", "HOLDER_LOST", "ENGINE_NOT_ALLOWED", "AGENTS_NOT_ALLOWED"]);

let drivers = 0;

/**
 * Drives a run to its end, or to where only a person or time can help. The driver is a holder like any other: what it holds is given back
 * when it ends, and others may work on the same run before, after and beside it.
 */
export async function driveRun(parts: RunnerParts, request: DriveRequest): Promise<DriveEnd> {
  const { context } = parts;
  drivers += 1;
  const session = `${context.host.processId}-d${drivers}`;
  const caller: Caller = {
    holder: { kind: "worker", name: request.agent ?? plainDriver, session },
    surface: "runner",
    leaseOwner: session,
    stays: true,
  };
  const steps = openAgentSteps(parts, request, caller);
  try {
    return await new RunDriver(parts, request, steps, caller).drive();
  } finally {
    await steps.close();
    await context.holding.release(session);
  }
}

type Parked = Extract<DriveEnd, { readonly kind: "parked" }>;
type Of<K extends Position["standing"]["kind"]> = Extract<Position["standing"], { readonly kind: K }>;

class RunDriver {
  readonly #parts: RunnerParts;
  readonly #request: DriveRequest;
  readonly #steps: AgentSteps;
  readonly #caller: Caller;
  #run: string;

  constructor(parts: RunnerParts, request: DriveRequest, steps: AgentSteps, caller: Caller) {
    this.#parts = parts;
    this.#request = request;
    this.#steps = steps;
    this.#caller = caller;
    this.#run = request.run;
  }

  async drive(): Promise<DriveEnd> {
    try {
      return (await this.#strand({})) ?? this.#parked("Nothing is left to do here.");
    } catch (error) {
      if (!isWaymarkError(error) || !parking.has(error.code)) throw error;
      return { ...this.#parked(error.message), ...(await this.#missing(error)) };
    }
  }

  /** What a person must allow before driving the run again helps. */
  async #missing({ code, details }: WaymarkError): Promise<Pick<Parked, "allow">> {
    if (code === "ENGINE_NOT_ALLOWED") return { allow: { workflow: (await this.#parts.context.runs.open(this.#run)).program.name } };
    const { agent } = details;
    return code === "AGENTS_NOT_ALLOWED" && typeof agent === "string" ? { allow: { agent } } : {};
  }

  /** Drives the run, one task of it, or one strand. undefined when that is over and the run is not. */
  async #strand(of: { readonly task?: string; readonly strand?: string }): Promise<DriveEnd | undefined> {
    const whole = of.task === undefined && of.strand === undefined;
    for (;;) {
      if (this.#request.finish.aborted && (await this.#isRunning())) return this.#parked("It was interrupted.");
      const position = await this.#next(of);
      const { standing, state } = position;
      const end = await this.#at(position);
      if (end === "over") return whole ? this.#endOf(position) : undefined;
      if (end !== undefined) return end;
      if (!whole && standing.kind === "ended" && state.status === "running") return undefined;
    }
  }

  /** The last turn before an interruption may have ended the run. */
  async #isRunning(): Promise<boolean> {
    const { runs } = this.#parts.context;
    const handle = await runs.open(this.#run);
    await runs.refresh(handle);
    return handle.state.status === "running";
  }

  #next(of: { readonly task?: string; readonly strand?: string }): Promise<Position> {
    const { context } = this.#parts;
    return next(context, this.#caller, { run: this.#run, waitMs: yearMs, signal: this.#request.finish, ...of });
  }

  /** Does what there is to do at a position. undefined: asked again, there may be more. */
  async #at(position: Position): Promise<DriveEnd | "over" | undefined> {
    const { standing } = position;
    switch (standing.kind) {
      case "action":
        return standing.action.what === "parallel_tasks" ? this.#tasks(position, standing) : this.#steps.give(position);
      case "joining":
        return this.#tasks(position, standing);
      case "question":
        return this.#question(position, standing);
      case "working":
        return this.#parked(`The engine works on ${standing.on}.`, standing.until);
      case "blocked":
        return this.#blocked(position, standing);
      case "task_ended":
      case "ended":
        return "over";
    }
  }

  /** Tasks of sub-agents are done one after the other; those that others hold are waited for. */
  async #tasks(position: Position, { tasks = [] }: Of<"action"> | Of<"joining">): Promise<DriveEnd | undefined> {
    const { context } = this.#parts;
    const handle = await context.runs.open(position.run);
    const free = tasks.find(({ holder }) => holder === undefined);
    if (free !== undefined) return this.#strand({ task: free.task });
    await waitForChange(context, handle, longestLook);
    return undefined;
  }

  /** A question waits for its person while other strands work; who is in front is asked when nothing else is left to do. */
  async #question(position: Position, { decision }: Of<"question">): Promise<DriveEnd | undefined> {
    const beside = this.#beside(position);
    if (beside !== undefined) return this.#strand({ strand: beside.id });
    if ((await this.#request.ask?.(position, decision)) === true) return undefined;
    return { run: this.#run, kind: "waits", questions: openQuestions(position.state) };
  }

  /** Another strand with a step for this driver. */
  #beside({ state, strand }: Position): Strand | undefined {
    return Object.values(state.strands).find((each) => each.id !== strand && this.#isMine(each));
  }

  #isMine({ waits, holder }: Strand): boolean {
    return waits?.on === "action" && (holder === undefined || sameHolder(holder, this.#caller.holder));
  }

  async #endOf({ state }: Position): Promise<DriveEnd> {
    if (state.status === "completed") return { run: this.#run, kind: "completed" };
    const why = state.error?.message ?? `The run was ${state.status}.`;
    if (state.status !== "failed") return { run: this.#run, kind: "cancelled", why };
    if (this.#request.finish.aborted) return { run: this.#run, kind: "failed", why };
    const again = await retryRun(this.#parts.context, this.#caller, this.#run, { waitMs: 0 });
    if (again === undefined) return { run: this.#run, kind: "failed", why };
    this.#request.watch?.({ type: "notice", text: `${why} Its workflow asks for another attempt, which is run ${again.run}.` });
    this.#run = again.run;
    return (await this.#strand({})) ?? this.#parked("Nothing is left to do here.");
  }

  /** Only a permission and a time let what is blocked continue by itself; other strands do not wait for it. */
  async #blocked(position: Position, { reason, until, denied }: Of<"blocked">): Promise<DriveEnd | undefined> {
    const { program } = position;
    const beside = this.#beside(position);
    if (beside !== undefined) return this.#strand({ strand: beside.id });
    const waits = denied !== true && this.#request.waits !== false;
    if (waits && (await waitForTime(this.#parts.context, this.#request, position))) return undefined;
    if (denied === true) return { ...this.#parked(reason, until), allow: { workflow: program.name } };
    return { ...this.#parked(reason, until), ...(until === undefined ? { stuck: true } : {}) };
  }

  #parked(why: string, until?: number): Parked {
    return { run: this.#run, kind: "parked", why, ...defined({ until }) };
  }
}
