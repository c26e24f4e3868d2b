import { defined, isWaymarkError, own } from "../base/index.ts";
import { type AgentSession, type Counted, sameHolder, type Usage, type Waiting } from "../kernel/index.ts";
import {
  readLoss,
  recordUse,
  report,
  unknownOf,
  usedBy,
  type Caller,
  type Position,
  type ReportRequest,
  type RunHandle,
  type SeenTurn,
  type TurnWish,
} from "../engine/index.ts";
import type { TurnResult } from "./judge-turn.ts";
import type { StepDriver } from "./step-driver.ts";
import type { Missing } from "./step-prompt.ts";

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
  #usage: Usage = {};
  #denied: readonly string[] = [];
  /** Something is reserved for the turn under way, or the last one. */
  isReserved = false;
  #unknown: readonly Counted[] = [];
  #isReported = false;

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
  count({ denied }: Pick<TurnResult, "denied">, seen: SeenTurn): void {
    const [tokens, money] = [usedBy(seen, "tokens"), usedBy(seen, "money")];
    this.#usage = addUsage(this.#usage, { ...defined({ tokens, money }) });
    this.#unknown = [...this.#unknown, ...unknownOf(this.#parts.handle.state.budget.limits, { tokens, money })];
    this.#denied = [...this.#denied, ...denied];
  }

  /** Still open, and still its driver's: another process may have taken the strand, or ended the run. */
  async isOpen(): Promise<boolean> {
    const { driver, handle, action } = this.#parts;
    await driver.parts.context.runs.refresh(handle);
    const holder = handle.state.strands[action.strand]?.holder;
    return own(handle.state.actions, action.id) !== undefined && sameHolder(holder, driver.caller.holder);
  }

  /** Says so where another one has the step, or has reported it: nothing that a turn of this driver came to is in the run then. */
  async tellLoss(): Promise<void> {
    const { driver, handle, action } = this.#parts;
    const lost = this.#isReported ? undefined : await readLoss(driver.parts.context, driver.caller, handle, action);
    if (lost === undefined) return;
    const how = lost.by === undefined ? "Another driver took it over" : `It was reported by ${lost.by} meanwhile`;
    driver.request.watch?.({ type: "reported", step: action.step, how: "lost", why: `${how}; what came of this turn changes nothing.` });
  }

  /** Reports the end of the turn. What the step must leave and did not is the answer: why for people, and with what to do for the agent. */
  async end(result: TurnResult): Promise<Missing | undefined> {
    try {
      await this.#report({ status: "success", result: result.text });
      return undefined;
    } catch (error) {
      if (!isWaymarkError(error) || !(await this.isOpen())) throw error;
      const { returns } = this.#parts.wish ?? {};
      const form = returns === undefined ? "" : `\nEnd with JSON that fits this schema, and nothing else: ${JSON.stringify(returns)}`;
      return { why: error.message, prompt: `${error.message}${error.fix === undefined ? "" : ` ${error.fix}`}${form}` };
    }
  }

  async fail(cause: string, how: Pick<ReportRequest, "mayPass" | "needsPerson"> = {}): Promise<undefined> {
    const denied = [...new Set(this.#denied)].slice(0, mostDenied);
    const why = denied.length === 0 ? cause : `${cause} It was not allowed: ${denied.join("; ")}.`;
    await this.#report({ status: "failed", error: why, ...how });
    this.#parts.driver.request.watch?.({ type: "reported", step: this.#parts.action.step, how: "failed", why });
    return undefined;
  }

  /** The step waits for a time. */
  async park(why: string, until: number, waiting: Waiting = {}): Promise<undefined> {
    this.#parts.driver.request.watch?.({ type: "reported", step: this.#parts.action.step, how: "parked", why });
    await this.#report({ error: why, blockedUntil: until, waiting });
    return undefined;
  }

  /** An agent that reports its step itself does so before its turn has ended, and an interrupted one is not reported at all. */
  async recordUse(): Promise<void> {
    const { driver, handle, action } = this.#parts;
    const used = this.#used;
    if (Object.keys(used).length === 0) return;
    await recordUse(driver.parts.context, this.reporter, { run: handle.id, action: action.id, ...used });
    this.#clear();
  }

  /** What the turns used since the last report. */
  get #used(): Pick<ReportRequest, "usage" | "denied" | "settling"> {
    const { tokens = 0, money = 0 } = this.#usage;
    const settling = { settles: this.#parts.driver.caller.holder.session, unknown: [...new Set(this.#unknown)] };
    return {
      ...(tokens > 0 || money > 0 || (this.isReserved && Object.keys(this.#usage).length > 0) ? { usage: this.#usage } : {}),
      ...(this.#denied.length === 0 ? {} : { denied: this.#denied }),
      ...(this.isReserved ? { settling } : {}),
    };
  }

  #clear(): void {
    [this.#usage, this.#denied, this.#unknown, this.isReserved] = [{}, [], [], false];
  }

  async #report(
    outcome: Pick<ReportRequest, "status" | "result" | "error" | "mayPass" | "needsPerson" | "blockedUntil" | "waiting">,
  ): Promise<void> {
    const { driver, handle, action } = this.#parts;
    await report(driver.parts.context, this.reporter, { run: handle.id, action: action.id, ...outcome, ...this.#used });
    this.#isReported = true;
    this.#clear();
    if (outcome.status === "success") driver.request.watch?.({ type: "reported", step: action.step, how: "done" });
  }
}

function addUsage(a: Usage, b: Usage): Usage {
  const sum = (x: number | undefined, y: number | undefined): number | undefined => (x === undefined ? y : x + (y ?? 0));
  return defined({ tokens: sum(a.tokens, b.tokens), money: sum(a.money, b.money) });
}
