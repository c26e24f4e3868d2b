import type { TranscriptEntry } from "../ports/index.ts";
import { toolLine } from "./tool-line.ts";

/** What a chat shows of what agents say and do, entry by entry. */
export class SpokenMessages {
  /** Calls of tools that were shown: agents speak of each of them several times. */
  readonly #shown = new Set<string>();

  /** undefined: nothing of it is shown. */
  of({ action, event }: Pick<TranscriptEntry, "action" | "event">): string | undefined {
    if (event.type === "message") return event.text.trim() === "" ? undefined : event.text;
    if (event.type !== "tool") return undefined;
    const { id, name, input, status } = event;
    const key = `${action}\n${id}`;
    // Agents say what a tool is given when it begins or later; one that never says so is shown when it ends.
    if (this.#shown.has(key) || (input === undefined && status !== "done" && status !== "failed")) return undefined;
    this.#shown.add(key);
    return toolLine(name, input);
  }
}
