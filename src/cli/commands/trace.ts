import { debugInfo, maskSecrets, readState, testTransformation, traceTransformations } from "../../engine/index.ts";
import { badValue, exitCodes, usage } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { shorten } from "../render-table.ts";
import type { Session } from "../session.ts";
import type { Json } from "../../base/index.ts";
import { counted } from "../counted.ts";

export async function traceCommand({ session, args: [run], options }: Given): Promise<number> {
  if (options["try"] !== undefined) {
    if (run !== undefined || options["field"] !== undefined) throw usage("`--try` looks at no run.", "Leave out the run and `--field`.");
    return tryTransformation(session, String(options["try"]), parseInput(options["with"]));
  }
  if (options["with"] !== undefined) throw usage("`--with` is the input of `--try`.", "Add `--try <javascript>`.");
  if (run === undefined)
    throw usage("Name a run to trace, or a transformation to try.", "waymark trace <run>, or waymark trace --try '<javascript>'");
  return traceRun(session, run, options["field"]);
}

async function traceRun(session: Session, run: string, field: string | undefined): Promise<number> {
  const { traces, info } = await session.withEngine(async (context) => {
    await readState(context, run);
    const { program, state } = await context.runs.open(run);
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
  if (traces.length === 0)
    out.line(field === undefined ? "No computed field was evaluated." : `\`${field}\` was not evaluated; it may not exist.`);
  else {
    const rows = traces.map((trace) => [
      trace.field,
      `${(trace.duration_ms ?? 0).toFixed(1)} ms`,
      shorten(JSON.stringify(trace.input), 50),
      trace.error === undefined ? shorten(JSON.stringify(trace.output), 50) : `failed: ${shorten(trace.error, 60)}`,
    ]);
    out.table(["FIELD", "TIME", "INPUT", "RESULT"], rows);
  }
  out.hint(`→ waymark state ${run} --deps ${traces[0]?.field ?? "<field>"}`);
  return exitCodes.done;
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
