import { type Shown } from "../../../views/index.ts";
import { asSentence, cutText, defined, isObject, type JsonObject, fieldOf, counted } from "../../../base/index.ts";
import type { CheckDescription, ChecklistDefinition } from "../definition/index.ts";
import { type Action, handOutId } from "../../../kernel/index.ts";
import type { PatternSpec } from "../../../ports/index.ts";
import type { EngineContext, RunHandle } from "../../../engine/index.ts";
import { isOwnTool } from "./is-own-tool.ts";
import { isJudged } from "./judge-instance.ts";
import { actionWord, analysisWanted, identicalTo } from "./take-entry.ts";
import { checklistOf, type InRun, judgementWanted, statusWanted } from "./checklist-run.ts";
import { secretsOf } from "./hide-secrets.ts";
import { guidanceFor, guideText } from "./knowledge-guides.ts";

const checklistShown = 200;
/** Lines of code on either side of an instance, at least. */
const linesShown = 5;

export async function describeCheck(context: EngineContext, handle: RunHandle, action: Action): Promise<CheckDescription | undefined> {
  const run = checklistOf(handle, handle.state.strands[action.strand]?.scope);
  const item = action.args["item"];
  if (run === undefined || action.what !== "check" || !isObject(item)) return undefined;
  const row = await context.store.readItem(handle.id, run.lists.files, fieldOf(item, "id"));
  const { round } = action.args;
  const base: Base = {
    action: actionWord(action.args),
    item: isObject(row?.data) ? row.data : item,
    again: (typeof round === "number" ? round - 1 : 0) + (numberAt(isObject(row?.data) ? row.data : {}, "tries") ?? 0),
    notes: action.notes ?? [],
  };
  return item["kind"] === "instance" ? describeInstance({ context, handle, run }, base) : describeEntry({ context, handle, run }, base);
}

type Base = Pick<CheckDescription, "action" | "item" | "again" | "notes">;
async function describeEntry({ context, handle, run }: InRun, base: Base): Promise<CheckDescription> {
  const { definition, lists, options } = run;
  const phase = definition.phases.find((each) => each.id === base.item["phase"]);
  const file = fieldOf(base.item, "file");
  const version = options["bc_version"];
  const topic = base.item["topic_id"];
  const known = typeof topic === "string" ? await context.knowledge.topic(topic) : undefined;
  const first = (handle.state.counters["reported"] ?? 0) === 0;
  const keys = first && base.item["type"] === "analysis" && Object.keys(definition.guidance).length > 0 ? definition.guidance : undefined;
  return defined({
    ...base,
    identical: 0,
    phase: [...(phase?.notes ?? []), ...(phase?.checklist ?? [])],
    checklist: await context.store.selectItems(handle.id, { list: lists.files, query: { parent: file }, limit: checklistShown }),
    guidanceKeys: keys,
    specialist: phase?.specialist,
    timeout: definition.checklist.find(({ id }) => id === base.item["entry"])?.timeout,
    actions: phase === undefined || phase.availableActions.length === 0 ? undefined : phase.availableActions,
    tool: toolOf(definition.topics, base.item, {
      version: typeof version === "string" ? version : undefined,
      topicIsKnown: known !== undefined,
    }),
    topicFile: known?.file,
  });
}

async function describeInstance({ context, handle, run }: InRun, base: Base): Promise<CheckDescription> {
  const { definition, lists, raw } = run;
  const data = base.item;
  const found = [...definition.patterns.patterns, ...guidePatterns(raw)].find((each) => each["id"] === data["pattern"]);
  const pattern = (found ?? {}) as unknown as Partial<PatternSpec>;
  const phase = definition.phases.find((each) => each.id === data["phase"]);
  const specialist = pattern.specialist ?? phase?.specialist ?? definition.patterns.specialist ?? definition.specialist;
  const first = await isFirst({ context, handle, run }, data);
  const { guide, section } = data;
  const line = Number(data["line"] ?? 1);
  const around = Math.max(linesShown, pattern.contextLines ?? 0);
  const near = { from: Math.max(1, line - around), end: Number(data["end_line"] ?? line) + around };
  return defined({
    ...base,
    item: raw["approach"] === "label_route" ? await withLabel(context, data) : data,
    identical: definition.patterns.groupIdentical ? (await identicalTo(context, handle.id, lists.files, data)).length : 0,
    phase: [],
    checklist: [],
    context: await surroundings({ context, handle, run }, fieldOf(data, "file"), near),
    contextLine: near.from,
    guidance: first ? await guidanceFor(context.knowledge, specialist, pattern.topic) : undefined,
    section:
      first && typeof guide === "string"
        ? await guideText(context.knowledge, guide, typeof section === "string" ? section : undefined)
        : undefined,
    pattern:
      found === undefined
        ? undefined
        : defined({
            name: fieldOf(found, "name"),
            description: fieldOf(found, "description"),
            specialist,
            topic: pattern.topic,
            severity: pattern.severity,
          }),
  });
}

/** On the way over Labels the proposal is a Label and the call that uses it, where the call's text can become one; else there is none. */
async function withLabel({ workspace, host }: EngineContext, data: JsonObject): Promise<JsonObject> {
  const read = await workspace.readText(host.workspace, fieldOf(data, "file"));
  if (read === undefined) return data;
  const { suggestion: wrapped, ...rest } = data;
  const { line, column, type } = data;
  if (typeof line !== "number" || typeof column !== "number" || typeof type !== "string") return rest;
  const { labelSuggestion } = await import("../../../scan/index.ts");
  const start = offsetOf(read.text, line, column);
  const found = { type, auto: false, start, end: start, ...(typeof wrapped === "string" ? { suggestion: wrapped } : {}) };
  const label = labelSuggestion(found, { text: read.text });
  if (label === undefined) return rest;
  return { ...rest, suggestion: label.declaration === undefined ? label.call : `${label.call} with ${label.declaration}` };
}

function offsetOf(text: string, line: number, column: number): number {
  let at = 1;
  for (const end of text.matchAll(/\r\n|\r|\n/g)) {
    if (at === line) break;
    at += 1;
    if (at === line) return end.index + end[0].length + column - 1;
  }
  return column - 1;
}

function guidePatterns(raw: JsonObject): readonly JsonObject[] {
  const guides = raw["guides"];
  const patterns = isObject(guides) ? guides["patterns"] : undefined;
  return Array.isArray(patterns) ? (patterns as readonly JsonObject[]) : [];
}

/** Guidance is given once for each type: with the first of its instances that nobody has settled by hand yet. */
async function isFirst({ context: { store }, handle, run }: InRun, item: JsonObject): Promise<boolean> {
  const list = run.lists.files;
  const { judged } = run.definition.patterns;
  const type = fieldOf(item, "type");
  const facets = handle.state.lists[list]?.facets[`type=${type}`];
  const counted = (facets?.skipped ?? 0) + (facets?.failed ?? 0);
  const settled = judged === true ? { verdict: "confirmed" } : { done: "hand" };
  const byHand = await store.selectItems(handle.id, { list, query: { facets: { type, ...settled } }, limit: 1 });
  if (byHand.length > 0 || counted > 0) return false;
  const [open] = await store.selectItems(handle.id, { list, query: { status: "in_progress", facets: { type } }, limit: 1 });
  return open === undefined || open.id === item["id"];
}

async function surroundings(
  of: InRun,
  file: string,
  { from, end }: { readonly from: number; readonly end: number },
): Promise<string | undefined> {
  const { workspace, host } = of.context;
  const read = await workspace.readText(host.workspace, file);
  if (read === undefined) return undefined;
  const hide = await secretsOf(of, file, read.text);
  const lines = read.text.split(/\r\n|\r|\n/).slice(from - 1, end);
  // Behind the last line end there is no line.
  return hide(lines.join("\n").replace(/\n$/, ""));
}

/**
 * The tool that does an analysis or brings a topic, by path, so that no file passes through the agent. Where topics are off, an agent
 * analyses the file itself.
 */
function toolOf(
  { enabled, tool }: ChecklistDefinition["topics"],
  item: JsonObject,
  { version, topicIsKnown }: { readonly version: string | undefined; readonly topicIsKnown: boolean },
): CheckDescription["tool"] | undefined {
  const bc = version === undefined ? {} : { bc_version: version };
  if (item["type"] === "analysis" && !enabled) return undefined;
  if (item["type"] === "analysis" && (tool === "analyze_al_code" || tool === "analyze_code"))
    return { name: tool, arguments: { file_path: fieldOf(item, "file"), analysis_type: "comprehensive", ...bc } };
  if (item["type"] === "analysis" && !isOwnTool(tool)) return { name: tool, arguments: { file_path: fieldOf(item, "file"), ...bc } };
  if (item["type"] === "analysis")
    return {
      name: tool,
      arguments: tool.startsWith("ask") ? { question: fieldOf(item, "description") } : { query: fieldOf(item, "file") },
    };
  if (item["type"] !== "topic_application" || typeof item["topic_id"] !== "string") return undefined;
  // Topics that the knowledge does not have are of the tool that suggested them.
  if (!topicIsKnown && !isOwnTool(tool)) return { name: tool, arguments: { topic_id: item["topic_id"] } };
  return { name: "retrieve_bc_knowledge", arguments: { topic_id: item["topic_id"], include_related: false } };
}

/** The same of an instance, in few words: there are many of them. */
const instanceStatusWanted = "completed, or skipped + skip_reason";

/** The entry, topic or instance of a checklist that is open. */
export function checkShown(action: Action, entry: CheckDescription): Shown {
  const instance = entry.item["kind"] === "instance";
  const definition = instance ? instanceDefinition(action, entry) : entryDefinition(action, entry);
  const show = (instructions: string): Shown["step"] => ({
    id: handOutId(action.step, action.id),
    type: action.what,
    instructions,
    definition,
  });
  const wanted = isJudged(action) ? judgementWanted : instanceStatusWanted;
  if (instance)
    return { step: show(instanceInstruction(entry)), fillIn: { status: wanted, ...theSame(entry) }, skippable: true, facts: entry };
  const { tool } = entry;
  const analysis = entry.action === "analyze_file";
  return {
    step: show(entryInstruction(entry, withTool(entry))),
    fillIn: { status: statusWanted, ...(analysis ? { result: analysisWanted["result"] } : {}) },
    ...(tool === undefined ? {} : { without: { tool: tool.name, instructions: entryInstruction(entry, withoutTool(entry, tool.name)) } }),
    skippable: true,
    facts: entry,
  };
}

/** One skip may cover all that read the same. */
function theSame({ identical }: CheckDescription): JsonObject {
  return identical === 0 ? {} : { identical: `true to skip the ${counted(identical, "other")} with the same text too` };
}

/** Texts of a row's data; empty ones count as absent. */
function textsOf(item: JsonObject): (name: string) => string | undefined {
  return (name) => (typeof item[name] === "string" && item[name] !== "" ? item[name] : undefined);
}

function numberAt(item: JsonObject, name: string): number | undefined {
  return typeof item[name] === "number" ? item[name] : undefined;
}

function instanceDefinition(action: Action, entry: CheckDescription): JsonObject {
  const { item } = entry;
  const said = textsOf(item);
  const again = entry.again > 0;
  return defined({
    action: entry.action,
    checklist_item_id: said("id") ?? action.step,
    file: said("file"),
    line: numberAt(item, "line"),
    column: numberAt(item, "column"),
    instance_type: said("seed_type") ?? said("type"),
    precise_type: said("seed_type") === undefined || said("seed_type") === said("type") ? undefined : said("type"),
    match_text: said("text") ?? "",
    context: entry.context,
    context_line: entry.context === undefined ? undefined : entry.contextLine,
    suggested_fix: isJudged(action) ? undefined : said("suggestion"),
    specialist_guidance: again ? undefined : entry.guidance,
    guide_section: entry.section?.heading,
    guide_content: again ? undefined : entry.section?.text,
    specialist: entry.section === undefined ? undefined : entry.pattern?.specialist,
  });
}

/** One or two sentences: there are many instances. Why the engine leaves it is said where nothing better is known. */
function instanceInstruction({ action, item, again, identical, pattern }: CheckDescription): string {
  const said = textsOf(item);
  const others = identical > 0 ? `${counted(identical, "other")} with the same text.` : "";
  if (action === "judge_instance") {
    const what = said("message") ?? (pattern === undefined ? said("type") : `${pattern.name}: ${pattern.description}`);
    return ["Is this a real finding? Judge it, change no file.", what, others].filter((part) => (part ?? "") !== "").join(" ");
  }
  const tool = said("tool");
  const still =
    tool === undefined ? "You reported it as converted, but it is still there." : `Reported as fixed, but ${tool} still reports it.`;
  const parts = [
    again > 0 ? still : "",
    tool === undefined ? undefined : toldByTool(tool, said),
    tool !== undefined ? undefined : (said("action") ?? (pattern?.description || said("why")) ?? "Change it as the workflow asks."),
    others,
  ];
  return parts.filter((part) => (part ?? "") !== "").join(" ");
}

/** Compilers may explain at length; what matters comes first. */
const toldByTools = 400;

function toldByTool(tool: string, said: (name: string) => string | undefined): string {
  const message = cutText((said("message") ?? "").replace(/\s+/g, " "), toldByTools);
  const help = said("help");
  return `${tool} reports ${said("rule") ?? ""} (${said("severity") ?? "warning"}): ${asSentence(message)}${help === undefined ? "" : ` ${help}`} Fix the code; ${tool} looks again.`;
}

function entryDefinition(action: Action, entry: CheckDescription): JsonObject {
  const { item, tool } = entry;
  const said = textsOf(item);
  return defined({
    action: entry.action,
    checklist_item_id: said("entry") ?? said("id") ?? action.step,
    file: said("file"),
    topic_id: said("topic_id"),
    available_actions: entry.actions,
    tool_call: tool === undefined ? undefined : { tool: tool.name, arguments: tool.arguments },
    timeout: entry.timeout,
    workflow_guidance: entry.guidanceKeys,
    specialist: entry.specialist,
  });
}

function entryInstruction({ item, again, phase, timeout }: CheckDescription, how: string): string {
  const what = typeof item["description"] === "string" ? item["description"] : "";
  const parts = [
    again > 0 ? "You reported it as done, but it is still open." : "",
    /[.!?]$/.test(what) || what === "" ? what : `${what}.`,
    how,
    timeout === undefined ? "" : `Time limit: ${timeout} s.`,
    ...phase,
  ];
  return parts.filter((part) => part !== "").join(" ");
}

function withTool({ action, tool }: CheckDescription): string {
  if (action === "apply_topic")
    return "REQUIRED: get the topic with the tool_call and apply it to the file; report what it brings to light.";
  if (action !== "analyze_file") return "";
  return tool?.name.startsWith("analyze") === true
    ? "REQUIRED: make the tool_call, look at what it found in the file, and pass its expand_checklist_payload on as expand_checklist."
    : tool !== undefined && !isOwnTool(tool.name)
      ? "REQUIRED: make the tool_call, look at what it found in the file, and pass the topics that it suggests on as expand_checklist."
      : "REQUIRED: do this for the file and report what you found.";
}

/** How the entry is done by a client that is not offered its tool. */
function withoutTool({ topicFile }: CheckDescription, tool: string): string {
  if (topicFile !== undefined) return `REQUIRED: read ${topicFile} and apply it to the file; report what it brings to light.`;
  const where = isOwnTool(tool) ? " (waymark mcp --tools knowledge)" : "";
  return `REQUIRED: call ${tool} if your client offers it${where}, else read the file; report what you found.`;
}
