import { defined, isWaymarkError, own } from "../base/index.ts";
import { type AgentSession, sameHolder, type Usage } from "../kernel/index.ts";
import { recordUse, report, type Caller, type Position, type ReportRequest, type RunHandle, type TurnWish } from "../engine/index.ts";
import type { AgentUsage } from "../ports/index.ts";
import type { TurnResult } from "./judge-turn.ts";
import type { StepDriver } from "./step-driver.ts";

export interface StepReportParts {
  readonly driver: StepDriver;
  readonly handle: RunHandle;
  readonly action: Extract<Position["standing"], { readonly kind: "action" }>["action"];
  readonly wish: TurnWish | undefined;
  readonly agent: string;
}

/** Denials that a failure names. */
const mostDenied = 3;

/** What is recorded of one step: its outcome, its conversation, and what its turns used and were denied. */
export class StepReport {
  readonly #parts: StepReportParts;
  /** The conversation that is open now. */
  session: string | undefined;
  #usage: AgentUsage = {};
  #denied: readonly string[] = [];

  constructor(parts: StepReportParts) {
    this.#parts = parts;
  }

  /** Who reports the step, also through the door: its conversation is the one that is open then. */
  get reporter(): Caller {
    const session = (): AgentSession | undefined =>
      this.session === undefined ? undefined : { agent: this.#parts.agent, id: this.session };
    return {
      ...this.#parts.driver.caller,
      get agentSession() {
        return session();
      },
    };
  }

  /** What a turn used and was denied goes with the next report. */
  count({ usage, denied }: TurnResult): void {
    this.#usage = addUsage(this.#usage, usage);
    this.#denied = [...this.#denied, ...denied];
  }

  /** Still open, and still its driver's: another process may have taken the strand, or ended the run. */
  async isOpen(): Promise<boolean> {
    const { driver, handle, action } = this.#parts;
    await driver.parts.context.runs.refresh(handle);
    const holder = handle.state.strands[action.strand]?.holder;
    return own(handle.state.actions, action.id) !== undefined && sameHolder(holder, driver.caller.holder);
  }

  /** Reports the end of the turn. What the step must leave and did not is the answer. */
  async end(result: TurnResult): Promise<string | undefined> {
    try {
      await this.#report({ status: "success", result: result.text });
      return undefined;
    } catch (error) {
      if (!isWaymarkError(error) || !(await this.isOpen())) throw error;
      const { returns } = this.#parts.wish ?? {};
      const form = returns === undefined ? "" : `\nEnd with JSON that fits this schema, and nothing else: ${JSON.stringify(returns)}`;
      return `${error.message}${error.fix === undefined ? "" : ` ${error.fix}`}${form}`;
    }
  }

  async fail(cause: string, mayPass = false): Promise<undefined> {
    const denied = [...new Set(this.#denied)].slice(0, mostDenied);
    const why = denied.length === 0 ? cause : `${cause} It was not allowed: ${denied.join("; ")}.`;
    await this.#report({ status: "failed", error: why, ...(mayPass ? { mayPass } : {}) });
    this.#parts.driver.request.watch?.({ type: "reported", step: this.#parts.action.step, how: "failed", why });
    return undefined;
  }

  /** The step waits: until a time, where one is known. */
  async park(why: string, until: number | undefined): Promise<void> {
    this.#parts.driver.request.watch?.({ type: "reported", step: this.#parts.action.step, how: "parked", why });
    if (until !== undefined) await this.#report({ error: why, blockedUntil: until });
  }

  /** An agent that reports its step itself does so before its turn has ended, and an interrupted one is not reported at all. */
  async recordUse(): Promise<void> {
    const { driver, handle, action } = this.#parts;
    const used = this.#used;
    if (used.usage === undefined && used.denied === undefined) return;
    await recordUse(driver.parts.context, this.reporter, { run: handle.id, action: action.id, ...used });
  }

  /** What the turns used since the last report. */
  get #used(): { readonly usage?: Usage; readonly denied?: readonly string[] } {
    const { inputTokens = 0, outputTokens = 0, costUsd } = this.#usage;
    const usage = { tokens: inputTokens + outputTokens, ...defined({ money: costUsd }) };
    return {
      ...(usage.tokens > 0 || costUsd !== undefined ? { usage } : {}),
      ...(this.#denied.length === 0 ? {} : { denied: this.#denied }),
    };
  }

  async #report(outcome: Pick<ReportRequest, "status" | "result" | "error" | "mayPass" | "blockedUntil">): Promise<void> {
    const { driver, handle, action } = this.#parts;
    await report(driver.parts.context, this.reporter, { run: handle.id, action: action.id, ...outcome, ...this.#used });
    [this.#usage, this.#denied] = [{}, []];
    if (outcome.status === "success") driver.request.watch?.({ type: "reported", step: action.step, how: "done" });
  }
}

function addUsage(a: AgentUsage, b: AgentUsage): AgentUsage {
  const sum = (x: number | undefined, y: number | undefined): number | undefined => (x === undefined ? y : x + (y ?? 0));
  return defined({
    inputTokens: sum(a.inputTokens, b.inputTokens),
    outputTokens: sum(a.outputTokens, b.outputTokens),
    costUsd: sum(a.costUsd, b.costUsd),
  });
}
