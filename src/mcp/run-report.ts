import type { JournalEntry, Position } from "../engine/index.ts";
import { counted } from "../views/index.ts";
import { cutText } from "./reply-text.ts";

type State = Position["state"];
type Event = JournalEntry["events"][number];

/** Lines of each section that a report shows; the journal has the rest. */
const linesShown = 60;

/** Collects what a report says, record by record, so that no long journal has to be in memory. */
export class RunReport {
  readonly #questions = new Map<string, { readonly question: string; answer?: string }>();
  readonly #sections: Record<"done" | "failed" | "warned" | "noted" | "marked", string[]> = {
    done: [],
    failed: [],
    warned: [],
    noted: [],
    marked: [],
  };
  readonly #counts = { done: 0, failed: 0, skipped: 0, records: 0 };

  add(entry: JournalEntry): void {
    this.#counts.records += 1;
    for (const event of entry.events) this.#take(event, entry);
  }

  #take(event: Event, { at, by }: JournalEntry): void {
    switch (event.type) {
      case "left":
        if (event.leaf === true) this.#leaf(event.block, event.how, at);
        break;
      case "failed":
        this.#sections.failed.push(
          `- ${at} \`${event.block}\`: ${oneLine(event.error.message)} (${event.error.code}; then: ${event.handled})`,
        );
        break;
      case "warned":
        this.#sections.warned.push(`- ${oneLine(event.message)}`);
        break;
      case "noted":
        this.#sections.noted.push(`- ${event.note.from.name}: ${oneLine(event.note.text)}`);
        break;
      case "marked":
        this.#sections.marked.push(`- ${at} at \`${event.mark.step}\`: ${oneLine(event.mark.reason)}`);
        break;
      case "decision_opened":
        this.#questions.set(event.decision.id, { question: oneLine(event.decision.question) });
        break;
      case "decision_closed": {
        const asked = this.#questions.get(event.decision);
        const who =
          event.by === undefined
            ? by.name
            : `${event.by.kind} ${event.by.name}${event.by.relayed ? ", relayed" : ""} over ${event.by.surface}`;
        if (asked !== undefined)
          asked.answer = event.status === "answered" ? `${oneLine(JSON.stringify(event.answer ?? null))} (${who})` : event.status;
        break;
      }
      default:
    }
  }

  #leaf(block: string, how: "done" | "failed" | "skipped", at: string): void {
    this.#counts[how] += 1;
    if (how === "done") this.#sections.done.push(`- ${at} \`${block}\``);
  }

  /** The report as Markdown. */
  render(state: State): string {
    const { done, failed, skipped, records } = this.#counts;
    const questions = [...this.#questions].map(([id, asked]) => `- \`${id}\` ${asked.question}\n  - ${asked.answer ?? "not answered yet"}`);
    const lists = Object.entries(state.lists).map(
      ([id, list]) =>
        `- \`${id}\`: ${counted(list.total, "item")}: ${Object.entries(list.by)
          .map(([status, count]) => `${count} ${status}`)
          .join(", ")}`,
    );
    const ended = state.endedAt === undefined ? "" : `, ended ${new Date(state.endedAt).toISOString()}`;
    return [
      `# ${state.workflow}: run ${state.id}`,
      `${capital(state.status)}; started ${new Date(state.startedAt).toISOString()}${ended}.${state.error === undefined ? "" : ` ${oneLine(state.error.message)} (${state.error.code})`}`,
      `${counted(done, "step")} done, ${failed} failed, ${skipped} skipped; ${counted(records, "journal record")}.`,
      ...section("Items", lists),
      ...section("Questions and answers", questions),
      ...section("Failures", this.#sections.failed),
      ...section("Warnings", this.#sections.warned),
      ...section("Notes", this.#sections.noted),
      ...section("Checkpoints", this.#sections.marked),
      ...section("What was done", this.#sections.done),
    ].join("\n\n");
  }
}

function section(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const left = lines.length - linesShown;
  const shown = left > 0 ? [`- ... ${left} earlier ones are in the journal`, ...lines.slice(-linesShown)] : lines;
  return [`## ${title}\n\n${shown.join("\n")}`];
}

function oneLine(text: string): string {
  return cutText(text.replace(/\s+/g, " ").trim(), 300);
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
