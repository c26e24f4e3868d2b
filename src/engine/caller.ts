import type { Actor, Holder } from "../kernel/index.ts";
import type { Position } from "./position.ts";

/** What one caller was shown in one run and has not reported. */
interface Shown {
  readonly ids: Set<string>;
  /** The last report of each entry that was named by the author's id. */
  readonly named: Map<string, { readonly said: string; readonly about: About }>;
  /** Steps with tasks among them that are shown again when the caller asks again: it has reported nothing since, and has not continued after them. */
  readonly tasks: Set<string>;
  /** The last report without a name, what it was about, and nothing asked for since. */
  unnamed?: { readonly said: string; readonly about: About };
  /** The last answer that was refused, and nothing asked for since. */
  refused?: { readonly said: string; readonly refusal: Refusal };
}

/** A question, and why the answer to it was refused. */
export interface Refusal {
  readonly id: string;
  readonly error: Error;
}

export interface About {
  readonly action: string;
  readonly step: string;
}

/** Callers and runs that are remembered; the oldest are forgotten first. */
const mostRemembered = 1000;

/**
 * What each caller was shown, for as long as this process lives. A report that does not name a hand-out by its own id can only mean
 * one of these; who is not remembered has to name it.
 */
export class HandOuts {
  readonly #shown = new Map<string, Shown>();

  show(caller: Caller, { run, standing }: Pick<Position, "run" | "standing">): void {
    if (standing.kind === "action") {
      const { ids, tasks } = this.#of(caller, run);
      ids.add(standing.action.id);
      if (standing.action.what === "parallel_tasks") tasks.add(standing.action.id);
    }
    if (standing.kind === "question") this.#of(caller, run).ids.add(standing.decision.id);
  }

  /** Whether anything of the run was shown to the caller here. */
  isKnown(caller: Caller, run: string): boolean {
    return this.#shown.has(keyOf(caller, run));
  }

  isShown(caller: Caller, run: string, id: string): boolean {
    return this.#shown.get(keyOf(caller, run))?.ids.has(id) === true;
  }

  reported(caller: Caller, run: string, id: string): void {
    const held = this.#shown.get(keyOf(caller, run));
    held?.ids.delete(id);
    held?.tasks.clear();
  }

  /** Whether a step with tasks was the last thing that the caller was shown and did. */
  isTasksAgain(caller: Caller, run: string, id: string): boolean {
    return this.#shown.get(keyOf(caller, run))?.tasks.has(id) === true;
  }

  /** The caller has the tasks of a step and continues after it. */
  wentOn(caller: Caller, run: string, id: string): void {
    const { ids, tasks } = this.#of(caller, run);
    ids.add(id);
    tasks.delete(id);
  }

  /** The caller asked what is open: a report that follows is about that. */
  asked(caller: Caller, run: string): void {
    const held = this.#shown.get(keyOf(caller, run));
    delete held?.unnamed;
    delete held?.refused;
  }

  /** Remembers a report without a name. */
  said(caller: Caller, run: string, said: string, about: About): void {
    this.#of(caller, run).unnamed = { said, about };
  }

  /** What the same words were about a moment ago, when nothing was asked for since: then they are the same report again. */
  saidBefore(caller: Caller, run: string, said: string): About | undefined {
    const last = this.#shown.get(keyOf(caller, run))?.unnamed;
    return last?.said === said ? last.about : undefined;
  }

  /** Remembers a report that names an entry by the author's id, which entries of other files have too. */
  saidOf(caller: Caller, run: string, name: string, { said, about }: { readonly said: string; readonly about: About }): void {
    const { named } = this.#of(caller, run);
    named.delete(name);
    named.set(name, { said, about });
    if (named.size > mostRemembered) named.delete(named.keys().next().value ?? "");
  }

  /** What the same words about that name were about, whatever was asked for since: in other words a report is another one. */
  saidBeforeOf(caller: Caller, run: string, name: string, said: string): About | undefined {
    const last = this.#shown.get(keyOf(caller, run))?.named.get(name);
    return last?.said === said ? last.about : undefined;
  }

  /** Remembers a refusal: the same words again are the same call, and cost no further try. */
  refused(caller: Caller, run: string, said: string, refusal: Refusal): void {
    this.#of(caller, run).refused = { said, refusal };
  }

  refusedBefore(caller: Caller, run: string, said: string): Refusal | undefined {
    const last = this.#shown.get(keyOf(caller, run))?.refused;
    return last?.said === said ? last.refusal : undefined;
  }

  #of(caller: Caller, run: string): Shown {
    const key = keyOf(caller, run);
    const held = this.#shown.get(key) ?? { ids: new Set(), named: new Map(), tasks: new Set() };
    this.#shown.delete(key);
    this.#shown.set(key, held);
    if (this.#shown.size > mostRemembered) this.#shown.delete(this.#shown.keys().next().value ?? "");
    return held;
  }
}

function keyOf({ holder: { kind, name, session } }: Caller, run: string): string {
  return `${run}\0${kind}\0${session}\0${name}`;
}

/** Who calls, as the surface knows it. Never taken from a payload. */
export interface Caller {
  readonly holder: Holder;
  /** `mcp-stdio`, `mcp-http`, `cli`, `cli-terminal`, `http`, `elicitation`, `test`, `engine`. */
  readonly surface: string;
  /** Owner name of the leases this caller takes: a process beats for its own, a person at a command line has no process that stays. */
  readonly leaseOwner: string;
  readonly leaseTtlMs?: number;
}

export function actorOf(caller: Caller): Actor {
  return { ...caller.holder, surface: caller.surface };
}

/** The engine acting by itself: effects, timers, lost leases. */
export function engineActor(processId: string): Actor {
  return { kind: "engine", name: "waymark", session: processId, surface: "engine" };
}
