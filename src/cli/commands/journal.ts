import { journal, type JournalEntry } from "../../engine/index.ts";
import { exitCodes } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { parseCount } from "../parse-values.ts";
import { shorten } from "../render-table.ts";

export async function journalCommand({ session, args: [run = ""], options }: Given): Promise<number> {
  const after = parseCount(options["after"], "--after");
  const limit = parseCount(options["limit"], "--limit", 1);
  const entries = await session.withEngine((context) => journal(context, run, after, limit));
  const { out } = session;
  for (const entry of entries) out.document(entry, "line");
  if (out.json) return exitCodes.done;
  if (entries.length === 0) out.line(after === 0 ? "Nothing has happened yet." : `Nothing has happened after position ${after}.`);
  else {
    out.table(
      ["", "TIME", "BY", "CAUSE", "WHAT HAPPENED"],
      entries.flatMap((entry) => [
        [
          String(entry.position),
          entry.at.slice(0, 19).replace("T", " "),
          `${entry.by.name} (${entry.by.surface})`,
          entry.cause,
          shorten(happened(entry), 110),
        ],
        ...warningsOf(entry).map((warning) => ["", "", "", "", shorten(warning, 300)]),
      ]),
    );
  }
  if (entries.length === limit) out.hint(`→ waymark journal ${run} --after ${entries.at(-1)?.position ?? after}`);
  return exitCodes.done;
}

/** Warnings have lines of their own, so that nothing in front of them can push them out. */
function warningsOf({ events }: JournalEntry): string[] {
  return events.flatMap((event) => (event.type === "warned" ? [`warning ${event.code}: ${event.message}`] : []));
}

/** The events that matter to people, in their own words; the others by number. */
function happened({ events }: JournalEntry): string {
  const others = events.filter((event) => event.type !== "warned");
  const told = others.flatMap((event) => eventText(event) ?? []);
  const silent = others.length - told.length;
  if (told.length === 0) return `${silent} ${silent === 1 ? "event" : "events"}`;
  return `${told.join("; ")}${silent === 0 ? "" : ` (and ${silent} more)`}`;
}

function eventText(event: JournalEntry["events"][number]): string | undefined {
  switch (event.type) {
    case "started":
      return `started ${event.workflow}`;
    case "action_opened":
      return `handed out ${event.action.step}`;
    case "action_closed":
      return `${event.action} ${event.how}`;
    case "effect_opened":
      return `began ${event.effect.step}`;
    case "effect_closed":
      return `${event.effect} ${event.how}`;
    case "decision_opened":
      return `asked ${event.decision.id}: ${event.decision.question}`;
    case "decision_closed":
      return `${event.decision} ${event.status}${event.answer === undefined ? "" : ` ${JSON.stringify(event.answer)}`}${event.by?.relayed === true ? " (relayed)" : ""}`;
    case "claimed":
      return `${event.holder.name} drives ${event.strand}`;
    case "released":
      return `${event.strand} ${event.why}`;
    case "failed":
      return `${event.block} failed: ${event.error.message}`;
    case "wrote":
      return `wrote ${event.updates.map((update) => [update.tier, ...update.keys].join(".")).join(", ")}`;
    case "marked":
      return `checkpoint ${event.mark.step}`;
    case "noted":
      return `note: ${event.note.text}`;
    case "ended":
      return `ended ${event.status}`;
    case "reopened":
      return `reopened (${event.why})`;
    default:
      return undefined;
  }
}
