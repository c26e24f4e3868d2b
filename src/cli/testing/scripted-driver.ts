import { defined, isWaymarkError } from "../../base/index.ts";
import { answer, next, report, type Caller, type EngineContext, type Position } from "../../engine/index.ts";
import { questionStep } from "../../views/index.ts";
import type { HandedOut, Reply } from "./script.ts";

export interface ScriptedStage {
  readonly caller: Caller;
  /** Asked before every call: an engine may be closed and opened again meanwhile. */
  context(): Promise<EngineContext>;
  /** The reply to what is handed out; undefined stops the drive. */
  replyTo(handed: HandedOut): Promise<Reply | undefined>;
  /** Gives the open step to an agent, if one does such steps; undefined when none does, else whether the drive continues. */
  give?(position: Position, handed: HandedOut): Promise<boolean | undefined>;
  /** Tasks are about to be driven, one after the other. */
  onTasks?(step: string): void;
  /** Brings a timer of the engine forward. */
  jumpTo?(time: number): Promise<void>;
  /** How long the engine may make no progress. */
  readonly patienceMs: number;
}

/** How often a look at the run is taken while the engine works. */
const lookMs = 20;

/** A task without agents may end while its next step is asked for. */
const taskEnded: ReadonlySet<string> = new Set(["ENGINE_NO_TASK", "STRAND_ENDED"]);

/** Drives a run with scripted replies in the place of agents and people. */
export class ScriptedDriver {
  readonly problems: string[] = [];
  readonly #stage: ScriptedStage;
  #head = -1;
  #seenAt = 0;

  constructor(stage: ScriptedStage) {
    this.#stage = stage;
  }

  /** Drives the run, or one task of it, until it ends or there is no reply. False: it stops here. */
  async drive(run: string, task?: string): Promise<boolean> {
    for (;;) {
      const position = await this.#next(run, task);
      if (position === undefined) return true;
      const { standing } = position;
      if (standing.kind === "ended" || standing.kind === "task_ended") return true;
      const tasks = standing.kind === "action" || standing.kind === "joining" ? (standing.tasks ?? []) : [];
      if (tasks.length > 0) {
        if (standing.kind === "action") this.#stage.onTasks?.(standing.action.step);
        for (const open of tasks) if (!(await this.drive(run, open.task))) return false;
        continue;
      }
      if (standing.kind === "action" && standing.action.what !== "parallel_tasks") {
        if (!(await this.#reply(position, standing.shown.step, standing.action))) return false;
      } else if (standing.kind === "question") {
        if (!(await this.#reply(position, questionStep(standing.decision), standing.decision))) return false;
      } else if (!(await this.#wait(position))) return false;
    }
  }

  /** undefined when a task has ended, or is tried again later. */
  async #next(run: string, task: string | undefined): Promise<Position | undefined> {
    try {
      return await next(await this.#stage.context(), this.#stage.caller, { run, waitMs: lookMs, ...defined({ task }) });
    } catch (error) {
      if (task !== undefined && isWaymarkError(error) && taskEnded.has(error.code)) return undefined;
      throw error;
    }
  }

  async #reply(
    position: Position,
    { type, definition, instructions }: Pick<HandedOut, "type" | "definition" | "instructions">,
    { id, step }: { readonly id: string; readonly step: string },
  ): Promise<boolean> {
    const { run, strand, state, standing } = position;
    const task = state.strands[strand]?.task;
    const handed: HandedOut = { run, id, step, type, definition, instructions, ...defined({ task }) };
    const given = standing.kind === "action" ? await this.#stage.give?.(position, handed) : undefined;
    if (given !== undefined) return given;
    const reply = await this.#stage.replyTo(handed);
    if (reply === undefined) return false;
    try {
      await this.#send(run, id, standing.kind === "question", reply);
    } catch (error) {
      // A wrong answer is part of the play: the question stays open and is asked again.
      if (!isWaymarkError(error) || error.code !== "ANSWER_REFUSED") throw error;
    }
    return true;
  }

  async #send(run: string, id: string, isQuestion: boolean, reply: Reply): Promise<void> {
    const [context, { caller }] = [await this.#stage.context(), this.#stage];
    if (!isQuestion) {
      const outcome =
        "error" in reply ? { status: "failed" as const, error: reply.error } : { status: "success" as const, result: reply.result };
      await report(context, caller, { run, action: id, ...outcome });
      return;
    }
    if ("error" in reply) this.problems.push(`a question cannot fail, but the script says: ${reply.error}`);
    await answer(context, caller, {
      run,
      decision: id,
      answer: "error" in reply ? reply.error : reply.result,
      relayed: reply.relayed === true,
    });
  }

  /** The engine works: its timers are brought forward, its commands are waited for. */
  async #wait({ standing, head, run }: Position): Promise<boolean> {
    const until = standing.kind === "working" || standing.kind === "blocked" ? standing.until : undefined;
    if (standing.kind === "blocked" && until === undefined) {
      this.problems.push(`the run is blocked: ${standing.reason}`);
      return false;
    }
    if (until !== undefined) await this.#stage.jumpTo?.(until);
    const now = performance.now();
    if (head !== this.#head) [this.#head, this.#seenAt] = [head, now];
    if (now - this.#seenAt < this.#stage.patienceMs) return true;
    this.problems.push(`run \`${run}\` makes no progress${standing.kind === "working" ? ` at \`${standing.on}\`` : ""}`);
    return false;
  }
}
