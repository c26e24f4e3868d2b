import { defined, type Json, type JsonObject, nearest, textOf } from "../../../base/index.ts";
import type { InRun } from "./checklist-run.ts";
import { isOwnTool } from "./is-own-tool.ts";
import type { SaidFinding } from "./judge-instance.ts";
import type { CheckedReport, LeftOut, ProposedChange } from "./report-change.ts";
import type { SaidOfEntry, SaidTopic } from "./take-entry.ts";

interface Reading extends InRun {
  readonly leftOut: LeftOut[];
}

export interface Readable {
  readonly request: SaidOfEntry;
  readonly leftOut: readonly LeftOut[];
}

/** What of a report can be taken. The rest is named with its reason, so that one slip does not cost the work that was reported with it. */
export async function readableReport(place: InRun, request: SaidOfEntry): Promise<Readable> {
  const reading: Reading = { ...place, leftOut: [] };
  const findings = request.findings && (await readAll(reading, "findings", request.findings, finding));
  const changes = request.changes && (await readAll(reading, "proposed_changes", request.changes, change));
  return { request: { ...request, ...defined({ findings, changes }) }, leftOut: reading.leftOut };
}

type Given = Readonly<Record<string, Json | undefined>>;
type Read<T> = (reading: Reading, part: string, given: Given) => Promise<T | undefined>;

async function readAll<T>(reading: Reading, name: string, given: readonly object[], read: Read<T>): Promise<readonly T[]> {
  const taken: T[] = [];
  for (const [at, each] of given.entries()) {
    const one = await read(reading, `${name}[${at}]`, each as Given);
    if (one !== undefined) taken.push(one);
  }
  return taken;
}

function leave({ leftOut }: Reading, part: string, why: string): undefined {
  leftOut.push({ part, why });
}

async function finding(reading: Reading, part: string, given: Given): Promise<SaidFinding | undefined> {
  const { description, severity, line, file, ...rest } = given;
  if (typeof description !== "string" || description.trim() === "") return leave(reading, part, "it has no `description`");
  const path = await fileOfRun(reading, part, file);
  if (path === false) return undefined;
  return {
    ...(rest as JsonObject),
    description,
    ...defined({ file: path, line: lineNumber(reading, `${part}.line`, line), severity: severityOf(reading, part, severity) }),
  };
}

const severities = ["info", "warning", "error", "critical"] as const;

/** A word that is not known may mean something grave. */
function severityOf(reading: Reading, part: string, given: Json | undefined): SaidFinding["severity"] {
  if (given === undefined || given === null) return undefined;
  const known = severities.find((each) => each === textOf(given).toLowerCase());
  if (known === undefined)
    leave(reading, `${part}.severity`, `\`${textOf(given)}\` is none of ${severities.join(", ")}; the finding is kept as warning`);
  return known ?? "warning";
}

async function change(reading: Reading, part: string, given: Given): Promise<ProposedChange | undefined> {
  const { proposed_code, file, line_start, line_end, impact, auto_applicable, ...rest } = given;
  if (typeof proposed_code !== "string") return leave(reading, part, "it has no `proposed_code`");
  const path = await fileOfRun(reading, part, file);
  if (path === false) return undefined;
  const known = impacts.find((each) => each === impact);
  if (known === undefined && impact !== undefined)
    leave(reading, `${part}.impact`, `\`${textOf(impact)}\` is none of ${impacts.join(", ")}`);
  if (auto_applicable !== undefined && typeof auto_applicable !== "boolean")
    leave(reading, `${part}.auto_applicable`, "it is neither true nor false; the change is kept as a proposal");
  return {
    ...(rest as JsonObject),
    proposed_code,
    ...defined({
      file: path,
      line_start: lineNumber(reading, `${part}.line_start`, line_start),
      line_end: lineNumber(reading, `${part}.line_end`, line_end),
      impact: known,
      auto_applicable: typeof auto_applicable === "boolean" ? auto_applicable : undefined,
    }),
  };
}

const impacts = ["low", "medium", "high"] as const;

function lineNumber(reading: Reading, part: string, given: Json | undefined): number | undefined {
  if (given === undefined || given === null) return undefined;
  const line = typeof given === "string" && /^\d+$/.test(given.trim()) ? Number(given) : given;
  if (typeof line === "number" && Number.isSafeInteger(line) && line >= 0) return line;
  return leave(reading, part, `\`${textOf(given)}\` is not the number of a line`);
}

/** A file of the run, however its path is written; `false` when it is none. */
async function fileOfRun(
  { context, handle, run, ...reading }: Reading,
  part: string,
  given: Json | undefined,
): Promise<string | false | undefined> {
  if (given === undefined || given === null || given === "") return undefined;
  const path = textOf(given).replaceAll("\\", "/").replace(/^\.\//, "");
  for (const name of new Set([textOf(given), path])) {
    const row = await context.store.readItem(handle.id, run.lists.files, name);
    if (row?.facets["kind"] === "file") return name;
  }
  leave({ context, handle, run, ...reading }, part, `\`${textOf(given)}\` is not a file of this run`);
  return false;
}

/** Topics that are applied, at or above the relevance that the workflow asks for; the others with the reason. */
export async function topicsToApply(
  { context, run }: Pick<InRun, "context" | "run">,
  given: readonly SaidTopic[],
): Promise<Pick<CheckedReport, "topics" | "dropped">> {
  const topics: CheckedReport["topics"][number][] = [];
  const dropped: CheckedReport["dropped"][number][] = [];
  const { enabled, minRelevance, tool } = run.definition.topics;
  for (const { topic, relevance = 1, description } of given) {
    const known = topic === "" ? undefined : await context.knowledge.topic(topic);
    // Our own tools suggest topics of the knowledge alone: another topic without a description is a slip.
    const own = known === undefined && description === undefined && isOwnTool(tool);
    if (topic === "") dropped.push({ topic, why: "it has no `topic_id`" });
    else if (own) dropped.push({ topic, why: `there is no such topic${await hintFor(context, topic)}` });
    else if (!enabled) dropped.push({ topic, why: "this workflow discovers no topics" });
    else if (relevance < minRelevance) dropped.push({ topic, why: `relevance ${relevance} is below ${minRelevance}` });
    else topics.push({ topic: known?.id ?? topic, relevance, description: description ?? known?.title ?? topic });
  }
  return { topics, dropped };
}

async function hintFor({ knowledge }: InRun["context"], topic: string): Promise<string> {
  const [near] = nearest(
    topic,
    (await knowledge.topics()).map(({ id }) => id),
  );
  return near === undefined ? "" : `; did you mean \`${near}\`?`;
}
