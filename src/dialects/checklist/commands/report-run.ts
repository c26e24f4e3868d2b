import { checklistRows, checklistsOf, gatherFacts } from "../run/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import { checklistReport, type ReportFormat } from "../views/index.ts";
import { exitCodes, failure, quoted, type Given, type Session } from "../../../cli/index.ts";

interface ReportOptions {
  readonly format?: ReportFormat;
  readonly out?: string;
}

/** Writes the report of a run with a checklist and changes nothing; it is an interim one until the run has ended. */
export async function reportCommand({ session, args: [run = ""], options }: Given): Promise<number> {
  refuseStep(run, options);
  return session.withEngine((context) => writeReport(session, context, run, options));
}

/** A step is reported by another command: the refusal has its whole line. */
function refuseStep(run: string, { format: _format, out: _out, ...given }: Given["options"]): void {
  const names = Object.keys(given);
  if (names.length === 0) return;
  const isFailed = names.some((name) => ["failed", "error", "blockedUntil"].includes(name));
  const command = names.includes("skip") ? "skip" : isFailed ? "fail" : "done";
  const values = names.filter((name) => name !== "done" && name !== "failed").map((name) => ` ${optionText(name, given[name])}`);
  throw failure(
    "CLI_OTHER_COMMAND",
    "`waymark report` writes the report of a run. It reports no step, so nothing was changed.",
    `Report the step: waymark ${command} ${quoted(run)}${values.join("")}`,
  );
}

/** An option as `done`, `fail` and `skip` call it. */
function optionText(name: string, value: unknown): string {
  const flag = name === "skip" ? "reason" : name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return value === true ? `--${flag}` : `--${flag} ${quoted(String(value))}`;
}

async function writeReport(session: Session, context: EngineContext, run: string, wish: ReportOptions): Promise<number> {
  const { out, world } = session;
  const handle = await context.runs.open(run);
  if (checklistsOf(handle).length === 0) {
    const open = handle.state.status === "running" ? `To report its open step: waymark done ${quoted(run)}. ` : "";
    throw failure(
      "ENGINE_NOT_A_CHECKLIST",
      `Run \`${run}\` is of \`${handle.program.name}\`, which neither is a checklist nor calls one, so there is no report of it. Nothing was changed.`,
      `${open}To see its state: waymark state ${quoted(run)}`,
    );
  }
  const format = wish.format ?? (out.json ? "json" : "markdown");
  const facts = await gatherFacts(context, run);
  const pieces = checklistReport(facts, checklistRows(context, handle), { format });
  if (wish.out === undefined) {
    for await (const piece of pieces) {
      if (format === "markdown") out.line(piece.replace(/\n$/, ""));
      else out.raw(piece);
      await out.flush();
    }
    return exitCodes.done;
  }
  const path = session.pathOf(wish.out);
  await world.writeFile(path, pieces);
  out.document({ run_id: run, file: path, format, interim: facts.endedAt === undefined });
  out.line(`Wrote ${path}${facts.endedAt === undefined ? " (an interim report: the run has not ended)" : ""}.`);
  return exitCodes.done;
}
