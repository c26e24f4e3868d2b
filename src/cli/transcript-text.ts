import { counted, isoTime, shorten } from "../base/index.ts";
import { toolText, type ShownEntry } from "../engine/index.ts";
import type { Output } from "./output.ts";

type Event = ShownEntry["event"];
type ToolEvent = Extract<Event, { readonly type: "tool" }>;

/** Turns entries into lines for people, one after another: a heading where another action or agent begins, each tool call once. */
export class TranscriptText {
  readonly #out: Pick<Output, "paint">;
  #heading = "";
  /** Calls that were shown, by strand and id. */
  readonly #calls = new Map<string, string>();

  constructor(out: Pick<Output, "paint">) {
    this.#out = out;
  }

  linesOf(entry: ShownEntry): readonly string[] {
    const { event, action, step, strand, agent, at } = entry;
    const lines = event.type === "tool" ? this.#callLines(event, `${strand}/${action}/${event.id}`) : this.#eventLines(event);
    const heading = `${step} (${agent}${strand === "main" ? "" : `, ${strand}`})`;
    const isNew = `${heading} ${action}` !== this.#heading;
    if (lines.length === 0 || !isNew) return lines;
    const isFirst = this.#heading === "";
    this.#heading = `${heading} ${action}`;
    const time = this.#out.paint("dim", isoTime(at).slice(0, 19).replace("T", " "));
    return [...(isFirst ? [] : [""]), `${this.#out.paint("bold", heading)} ${time}`, ...lines];
  }

  /** A call is shown when it runs, since only then its input is known; and once more if it fails. */
  #callLines(event: ToolEvent, id: string): readonly string[] {
    if (event.status === "pending") return [];
    const known = this.#calls.get(id);
    const text = known ?? shorten(toolText(event), 200);
    this.#calls.set(id, text);
    return [
      ...(known === undefined ? [`• ${text}`] : []),
      ...(event.status === "failed" ? [this.#out.paint("red", `✗ ${text} failed`)] : []),
    ];
  }

  #eventLines(event: Exclude<Event, ToolEvent>): readonly string[] {
    const paint: Output["paint"] = (style, text) => this.#out.paint(style, text);
    switch (event.type) {
      case "prompt":
        return [
          paint("dim", `Prompt: ${shorten(event.text.trim().replaceAll(/\s+/g, " "), 120)} (${counted(event.text.length, "character")})`),
        ];
      case "message":
        return event.text.trim() === "" ? [] : [event.text.trim()];
      case "notice":
        return [event.level === "info" ? event.text : paint("yellow", `! ${event.text}`)];
      case "permission":
        return event.decision === "allow"
          ? []
          : [paint("yellow", `! ${event.tool} was ${event.decision === "deny" ? "denied" : "cancelled"}`)];
      case "plan":
        return event.items.map(({ text, status }) => `  [${status === "completed" ? "x" : " "}] ${text}`);
      case "session":
        return event.resumed === "lost" ? [paint("yellow", "! The earlier session cannot be continued.")] : [];
      case "result":
        return event.stop === "end"
          ? []
          : [paint("red", `✗ The turn ended early (${event.stop})${event.error === undefined ? "" : `: ${event.error}`}`)];
      case "text":
      case "thinking":
      case "usage":
        return [];
    }
  }
}
