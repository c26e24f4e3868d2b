import { type Json, counted, shorten } from "../../base/index.ts";
import {
  debugInfo,
  exportRun,
  journal,
  maskSecrets,
  readState,
  testTransformation,
  traceTransformations,
  type JournalEntry,
} from "../../engine/index.ts";
import { authorsName } from "../../views/index.ts";
import { badValue, didYouMean, exitCodes, usage } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { parseCount } from "../parse-values.ts";
import type { Session } from "../session.ts";

export async function journalCommand({ session, args: [run = ""], options }: Given): Promise<void> {
  const after = parseCount(options["after"], "--after");
  const limit = parseCount(options["limit"], "--limit", 1);
  const entries = await session.withEngine((context) => journal(context, run, after, limit));
  const { out } = session;
  out.beginList();
  for (const entry of entries) out.entry(entry);
  if (out.json) return;
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
        // Warnings have lines of their own, so that nothing in front of them can push them out.
        ...entry.events.flatMap((event) =>
          event.type === "warned" ? [["", "", "", "", shorten(`warning ${event.code}: ${event.message}`, 300)]] : [],
        ),
      ]),
    );
  }
  if (entries.length === limit) out.hint(`→ waymark journal ${run} --after ${entries.at(-1)?.position ?? after}`);
}

/** The events that matter to people, in their own words; the others by number. */
function happened({ events }: JournalEntry): string {
  const others = events.filter((event) => event.type !== "warned");
  const shown = others.flatMap((event) => (eventTexts[event.type] as ((given: Event) => string | undefined) | undefined)?.(event) ?? []);
  const silent = others.length - shown.length;
  if (shown.length === 0) return counted(silent, "event");
  return `${shown.join("; ")}${silent === 0 ? "" : ` (and ${silent} more)`}`;
}

type Event = JournalEntry["events"][number];

const eventTexts: { readonly [K in Event["type"]]?: (event: Extract<Event, { readonly type: K }>) => string | undefined } = {
  started: ({ workflow }) => `started ${workflow}`,
  action_opened: ({ action }) => `handed out ${action.step}`,
  action_closed: ({ action, how }) => `${action} ${how}`,
  effect_opened: ({ effect }) => {
    const name = authorsName(effect.step);
    return name === undefined ? undefined : `began ${name}`;
  },
  effect_closed: ({ effect, how }) => `${effect} ${how}`,
  decision_opened: ({ decision: { id, question } }) => `asked ${id}: ${question}`,
  decision_closed: ({ decision, status, answer, by }) =>
    `${decision} ${status}${answer === undefined ? "" : ` ${JSON.stringify(answer)}`}${by?.relayed === true ? " (relayed)" : ""}`,
  claimed: ({ holder, strand }) => `${holder.name} became the holder of ${strand}`,
  released: ({ strand, why }) => `${strand} ${why}`,
  failed: ({ block, error }) => [authorsName(block), `failed: ${error.message}`].filter((each) => each !== undefined).join(" "),
  wrote: ({ updates }) => `wrote ${updates.map(({ tier, keys }) => [tier, ...keys].join(".")).join(", ")}`,
  marked: ({ mark }) => `checkpoint ${mark.step}`,
  noted: ({ note }) => `note: ${note.text}`,
  ended: ({ status }) => `ended ${status}`,
  reopened: ({ why }) => `reopened (${why})`,
};

export async function exportCommand({ session, args: [run = ""], options }: Given): Promise<void> {
  const { out, world } = session;
  const text = `${JSON.stringify(await session.withEngine((context) => exportRun(context, run)), null, 2)}\n`;
  if (options["out"] === undefined) return out.raw(text);
  const path = session.pathOf(String(options["out"]));
  const bytes = Buffer.byteLength(text);
  await world.writeFile(path, text);
  out.document({ run_id: run, file: path, bytes });
  out.line(`Wrote ${path} (${bytes} bytes).`);
}

export async function traceCommand({ session, args: [run], options }: Given): Promise<number | void> {
  if (options["try"] !== undefined) {
    if (run !== undefined || options["field"] !== undefined)
      throw usage("`--try` does not look at a run.", "Leave out the run and `--field`.");
    return tryTransformation(session, String(options["try"]), parseInput(options["with"]));
  }
  if (options["with"] !== undefined) throw usage("`--with` is the input of `--try`.", "Add `--try <javascript>`.");
  if (run === undefined)
    throw usage("Name a run to trace, or a transformation to try.", "waymark trace <run>, or waymark trace --try '<javascript>'");
  return traceRun(session, run, options["field"]);
}

async function traceRun(session: Session, run: string, field: string | undefined): Promise<void> {
  const { traces, info } = await session.withEngine(async (context) => {
    await readState(context, run);
    const { program, state } = await context.runs.open(run);
    const known = Object.values(program.parts).flatMap(({ computed }) => computed.map(({ name }) => name));
    if (field !== undefined && !known.includes(field)) {
      const others = known.length === 0 ? "Its workflow has none." : `Computed fields are ${known.join(", ")}.`;
      throw badValue(`Run \`${run}\` has no computed field \`${field}\`.${didYouMean(field, known)}`, others);
    }
    const found = await traceTransformations(context, run, field);
    const traces = maskSecrets(found as unknown as Json, program, state) as unknown as typeof found;
    return { info: await debugInfo(context, run), traces };
  });
  const { out } = session;
  out.document({ run_id: run, ...info, traces });
  out.line(
    `At ${info.current_step || "its end"}; ${counted(info.step_history.length, "step")} done; state ${info.state_size.raw_bytes} bytes, computed fields ${info.state_size.computed_bytes} bytes.`,
  );
  out.line();
  if (traces.length === 0) out.line(field === undefined ? "No computed field was evaluated." : `\`${field}\` was not evaluated.`);
  else {
    const rows = traces.map((trace) => [
      trace.field,
      `${(trace.duration_ms ?? 0).toFixed(1)} ms`,
      shorten(JSON.stringify(trace.input), 50),
      trace.error === undefined ? shorten(JSON.stringify(trace.output), 50) : `failed: ${shorten(trace.error, 60)}`,
    ]);
    out.table(["FIELD", "TIME", "INPUT", "RESULT"], rows);
  }
  if (traces[0] !== undefined) out.hint(`→ waymark state ${run} --deps ${traces[0].field}`);
}

async function tryTransformation(session: Session, code: string, input: Json): Promise<number> {
  const tried = await session.withEngine((context) => testTransformation(context, code, input));
  session.out.document(tried);
  session.out.line(tried.success ? JSON.stringify(tried.output, null, 2) : `It fails: ${tried.error ?? "no reason was given"}`);
  return tried.success ? exitCodes.done : exitCodes.failed;
}

function parseInput(text: string | undefined): Json {
  if (text === undefined) return null;
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw badValue(`\`--with\` is not JSON: ${(error as Error).message}.`, "Write for example `--with '[1, 2, 3]'`.");
  }
}
