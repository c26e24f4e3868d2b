import type { Decided, DriveEvent } from "../runner/index.ts";

type Decider = Decided["permission"];

/** What agents asked for in one drive and were not allowed, and who had decided on what they may do. */
export class Denials {
  readonly tools: Set<string> = new Set<string>();
  readonly #deciders = new Map<string, Decider>();
  readonly #byAction = new Map<string, Decider>();

  get deciders(): readonly Decider[] {
    return [...this.#deciders.values()];
  }

  take(event: DriveEvent): void {
    if (event.type === "step" && event.position.standing.kind === "action")
      this.#byAction.set(event.position.standing.action.id, event.decided.permission);
    if (event.type !== "agent" || event.entry.event.type !== "permission" || event.entry.event.decision !== "deny") return;
    this.tools.add(event.entry.event.tool);
    const decider = this.#byAction.get(event.entry.action) ?? "run";
    this.#deciders.set(JSON.stringify(decider), decider);
  }
}
