import type { JsonObject } from "../../../base/index.ts";
import { checklistRows, checklistsOf, gatherFacts, rulesOf } from "../run/index.ts";
import type { EngineContext, RunHandle } from "../../../engine/index.ts";
import { checklistReport, type ReportFormat } from "../views/index.ts";
import { exitCodes, failure, quoted, usage, type Given, type Session } from "../../../cli/index.ts";
import { openFilter, type FilterWishes } from "./finding-filter.ts";
import { printResults, resultPieces, type ResultFormat } from "./print-results.ts";
import { runFindings } from "./run-findings.ts";
import { ScanSummary } from "./scan-summary.ts";
import { workflowRules } from "./workflow-rules.ts";

interface ReportOptions extends FilterWishes {
  readonly format?: ReportFormat | ResultFormat;
  readonly out?: string;
}

/** Writes the report of a run with a checklist and changes nothing; it is an interim one until the run has ended. */
export async function reportCommand({ session, args: [run = ""], options }: Given): Promise<number> {
  refuseStep(run, options);
  return session.withEngine((context) => writeReport(session, context, run, options));
}

const ofReports: ReadonlySet<string> = new Set(["format", "out", "minSeverity", "baseline", "updateBaseline", "failOn"]);

/** A step is reported by another command: the refusal has its whole line. */
function refuseStep(run: string, options: Given["options"]): void {
  const given = Object.fromEntries(Object.entries(options).filter(([name]) => !ofReports.has(name)));
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
  const { out } = session;
  const handle = await context.runs.open(run);
  if (checklistsOf(handle).length === 0) {
    const open = handle.state.status === "running" ? `To report its open step: waymark done ${quoted(run)}. ` : "";
    throw failure(
      "ENGINE_NOT_A_CHECKLIST",
      `Run \`${run}\` is of \`${handle.program.name}\`, which neither is a checklist nor calls one, so there is no report of it. Nothing was changed.`,
      `${open}To see its state: waymark state ${quoted(run)}`,
    );
  }
  const format = wish.format ?? (out.jsonLines ? "jsonl" : out.json ? "json" : "markdown");
  if (!isReport(format)) return writeFindings(session, context, handle, { ...wish, format });
  refuseFilter(format, wish);
  const facts = await gatherFacts(context, run);
  const interim = facts.endedAt === undefined;
  const pieces = checklistReport(facts, checklistRows(context, handle), { format });
  if (wish.out !== undefined) return writeTo(session, wish.out, pieces, { run_id: run, format, interim });
  for await (const piece of pieces) {
    if (format === "markdown") out.line(piece.replace(/\n$/, ""));
    else out.raw(piece);
    await out.flush();
  }
  return exitCodes.done;
}

function isReport(format: string): format is ReportFormat {
  return ["markdown", "json", "html"].includes(format);
}

function refuseFilter(format: ReportFormat, { minSeverity, baseline, updateBaseline, failOn }: FilterWishes): void {
  if ([minSeverity, baseline, updateBaseline, failOn].every((wish) => wish === undefined)) return;
  throw usage(
    `The form \`${format}\` is the whole report of the run, and nothing is left out of it.`,
    "Add `--format text` or another form of findings, such as `sarif`, `github` or `jsonl`.",
  );
}

async function writeTo(session: Session, to: string, pieces: AsyncIterable<string>, said: JsonObject): Promise<number> {
  const { out, world } = session;
  const path = session.pathOf(to);
  await world.writeFile(path, pieces);
  out.document({ ...said, file: path });
  out.line(`Wrote ${path}${said["interim"] === true ? " (an interim report: the run has not ended)" : ""}.`);
  return exitCodes.done;
}

/** What the run found, as a scan prints it, with what has become of it. */
async function writeFindings(
  session: Session,
  context: EngineContext,
  handle: RunHandle,
  wish: ReportOptions & { readonly format: ResultFormat },
): Promise<number> {
  const { out, world } = session;
  const { format } = wish;
  const filter = await openFilter(session, context, wish);
  const sum = new ScanSummary();
  const findings = (async function* () {
    for await (const finding of runFindings(context, handle)) {
      if (!filter.takes(finding)) continue;
      sum.finding(finding);
      yield finding;
    }
  })();
  const root = context.host.workspace.replaceAll("\\", "/");
  const rules = checklistsOf(handle).flatMap((run) => workflowRules(rulesOf(run).patterns));
  const about = { workflow: handle.program.name, version: world.version, root, rules, summary: () => ({ ...sum.data(), ...filter.data }) };
  return filter.report(session, findings, async () => {
    if (wish.out === undefined) return printResults(out, findings, format, about);
    await writeTo(session, wish.out, resultPieces(findings, format, about), { run_id: handle.id, format });
  });
}
