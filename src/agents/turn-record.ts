import { beginningOf, defined } from "../base/index.ts";
import type { AgentEvent, AgentResult, AgentStop, AgentUsage } from "../ports/index.ts";
import { classifyFailure, limitInText, worse, type Failure } from "./classify-failure.ts";

/** How a turn ended, as its protocol says. */
export interface TurnEnd {
  readonly stop: AgentStop;
  readonly failure?: Failure | undefined;
}

type Told = Exclude<AgentEvent, AgentResult>;

/** Characters of one message that are kept; the rest is dropped with a notice. */
const longestMessage = 1_000_000;
/** Characters of a whole turn after which it is stopped. */
export const longestTurn = 20_000_000;

/** What one turn amounts to: puts whole messages together, leaves out what was said before, and makes the result. */
export class TurnRecord {
  sessionId = "";
  failure: Failure | undefined;
  /** Characters of text and thinking so far. */
  chars = 0;
  readonly #denied = new Map<string, string>();
  /** The last event of each tool, and of plan, usage and notices. */
  readonly #last = new Map<string, string>();
  #usage: AgentUsage = {};
  #message = "";
  #text = "";
  #isCut = false;
  #tools = 0;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The events to pass on for one that came in: none for a repetition, a whole message before a tool. */
  take(event: Told): readonly AgentEvent[] {
    switch (event.type) {
      case "text":
        return this.#takeText(event.text);
      case "thinking":
        this.chars += event.text.length;
        return [event];
      case "session":
        this.sessionId = event.sessionId;
        return [event];
      case "tool": {
        const isNew = !this.#last.has(`tool ${event.id}`);
        if (this.#isRepeated(`tool ${event.id}`, event)) return [];
        if (isNew) this.#tools += 1;
        return isNew ? [...this.flush(), event] : [event];
      }
      case "usage":
        this.#usage = { ...this.#usage, ...event.usage };
        return this.#isRepeated("usage", event) ? [] : [event];
      case "plan":
        return this.#isRepeated("plan", event) ? [] : [event];
      case "notice":
        return this.#isRepeated(`notice ${event.text}`, event) ? [] : [event];
      case "message":
      case "permission":
        return [event];
    }
  }

  /** Notes a denial once for each call. */
  deny(id: string, what: string): void {
    this.#denied.set(id, what);
  }

  fail(failure: Failure): void {
    this.failure = worse(this.failure, failure);
  }

  /** The message so far, when there is one. */
  flush(): readonly AgentEvent[] {
    const text = this.#message;
    this.#message = "";
    this.#isCut = false;
    if (text.trim() === "") return [];
    this.#text = text;
    return [{ type: "message", text }];
  }

  /** A failure is the result, also when the agent calls its turn done or cancelled; what the caller cancelled is nothing else. */
  result({ stop, failure }: TurnEnd, isAborted: boolean): AgentResult {
    if (failure !== undefined) this.fail(failure);
    if (stop === "end" && this.failure === undefined && this.#tools === 0 && limitInText(this.#text))
      this.fail(classifyFailure(this.#text.trim(), this.#now(), "limit"));
    const why = isAborted ? undefined : this.failure;
    return {
      type: "result",
      sessionId: this.sessionId,
      stop: isAborted ? "cancelled" : why === undefined ? stop : "error",
      text: this.#text,
      usage: this.#usage,
      denied: [...this.#denied.values()],
      ...defined({ error: why?.text, errorKind: why?.kind, resetAt: why?.resetAt }),
    };
  }

  #takeText(text: string): readonly AgentEvent[] {
    this.chars += text.length;
    const room = longestMessage - this.#message.length;
    this.#message += beginningOf(text, Math.max(0, room));
    if (text.length <= room) return [{ type: "text", text }];
    if (this.#isCut) return [];
    this.#isCut = true;
    return [{ type: "notice", level: "warn", text: `A message has more than ${longestMessage} characters; the rest is left out.` }];
  }

  #isRepeated(key: string, event: Told): boolean {
    const text = JSON.stringify(event);
    if (this.#last.get(key) === text) return true;
    this.#last.set(key, text);
    return false;
  }
}
