import type { JournalEntry, Position } from "../engine/index.ts";
import { counted } from "../views/index.ts";
import { cutText } from "./reply-text.ts";

/** Lines of each section that a report shows; the journal has the rest. */
const linesShown = 60;

/** Collects what a report says, record by record, so that no long journal has to be in memory. */
export class RunReport {
  readonly #questions = new Map<string, { readonly question: string; answer?: string }>();
  readonly #sections: Record<"Failures" | "Warnings" | "Notes" | "Checkpoints" | "What was done", string[]> = {
    Failures: [],
    Warnings: [],
    Notes: [],
    Checkpoints: [],
    "What was done": [],
  };
  readonly #counts = { done: 0, failed: 0, skipped: 0, records: 0 };

  add({ at, by, events }: JournalEntry): void {
    this.#counts.records += 1;
    const { Failures, Warnings, Notes, Checkpoints, "What was done": done } = this.#sections;
    for (const event of events) {
      switch (event.type) {
        case "left":
          if (event.leaf === true) this.#counts[event.how] += 1;
          if (event.leaf === true && event.how === "done") done.push(`- ${at} \`${event.block}\``);
          break;
        case "failed": {
          const { code, message } = event.error;
          Failures.push(`- ${at} \`${event.block}\`: ${oneLine(message)} (${code}; then: ${event.handled})`);
          break;
        }
        case "warned":
          Warnings.push(`- ${oneLine(event.message)}`);
          break;
        case "noted":
          Notes.push(`- ${event.note.from.name}: ${oneLine(event.note.text)}`);
          break;
        case "marked":
          Checkpoints.push(`- ${at} at \`${event.mark.step}\`: ${oneLine(event.mark.reason)}`);
          break;
        case "decision_opened":
          this.#questions.set(event.decision.id, { question: oneLine(event.decision.question) });
          break;
        case "decision_closed": {
          const asked = this.#questions.get(event.decision);
          const { kind, name, relayed, surface } = event.by ?? {};
          const who = event.by === undefined ? by.name : `${kind} ${name}${relayed === true ? ", relayed" : ""} over ${surface}`;
          const answer = event.status === "answered" ? `${oneLine(JSON.stringify(event.answer ?? null))} (${who})` : event.status;
          if (asked !== undefined) asked.answer = answer;
          break;
        }
        default:
      }
    }
  }

  /** The report as Markdown. */
  render({ id, workflow, status, startedAt, endedAt, error, lists }: Position["state"]): string {
    const { done, failed, skipped, records } = this.#counts;
    const questions = [...this.#questions].map(
      ([name, asked]) => `- \`${name}\` ${asked.question}\n  - ${asked.answer ?? "not answered yet"}`,
    );
    const items = Object.entries(lists).map(([name, { total, by }]) => {
      const counts = Object.entries(by).map(([state, count]) => `${count} ${state}`);
      return `- \`${name}\`: ${counted(total, "item")}: ${counts.join(", ")}`;
    });
    const ended = endedAt === undefined ? "" : `, ended ${new Date(endedAt).toISOString()}`;
    const why = error === undefined ? "" : ` ${oneLine(error.message)} (${error.code})`;
    return [
      `# ${workflow}: run ${id}`,
      `${status.slice(0, 1).toUpperCase()}${status.slice(1)}; started ${new Date(startedAt).toISOString()}${ended}.${why}`,
      `${counted(done, "step")} done, ${failed} failed, ${skipped} skipped; ${counted(records, "journal record")}.`,
      ...section("Items", items),
      ...section("Questions and answers", questions),
      ...Object.entries(this.#sections).flatMap(([title, lines]) => section(title, lines)),
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
