import { defined, isList, textOf, type JsonObject } from "../../../base/index.ts";
import type { CheckDescription } from "../definition/index.ts";
import { handOutId, type Action } from "../../../kernel/index.ts";
import { type Shown, counted, grouped } from "../../../views/index.ts";

/** How an entry or phase is reported: which of these only its agent knows. */
const statusWanted = "completed, skipped (+ skip_reason) or failed (+ error)";
/** The same of an instance, in few words: there are many of them. */
const instanceStatusWanted = "completed, or skipped + skip_reason";

/** The entry, topic or instance of a checklist that is open. */
export function checkShown(action: Action, told: CheckDescription): Shown {
  const instance = told.item["kind"] === "instance";
  const definition = instance ? instanceDefinition(action, told) : entryDefinition(action, told);
  const show = (instructions: string): Shown["step"] => ({
    id: handOutId(action.step, action.id),
    type: action.what,
    instructions,
    definition,
  });
  if (instance) return { step: show(instanceInstruction(told)), fillIn: { status: instanceStatusWanted }, skippable: true, facts: told };
  const { tool } = told;
  return {
    step: show(entryInstruction(told, withTool(told))),
    fillIn: { status: statusWanted },
    ...(tool === undefined ? {} : { without: { tool: tool.name, instructions: entryInstruction(told, withoutTool(told, tool.name)) } }),
    skippable: true,
    facts: told,
  };
}

/** Texts of a row's data; empty ones count as absent. */
function textsOf(item: JsonObject): (name: string) => string | undefined {
  return (name) => (typeof item[name] === "string" && item[name] !== "" ? item[name] : undefined);
}

function numberAt(item: JsonObject, name: string): number | undefined {
  return typeof item[name] === "number" ? item[name] : undefined;
}

function instanceDefinition(action: Action, told: CheckDescription): JsonObject {
  const { item } = told;
  const said = textsOf(item);
  const again = told.again > 0;
  return defined({
    action: told.action,
    checklist_item_id: said("id") ?? action.step,
    file: said("file"),
    line: numberAt(item, "line"),
    column: numberAt(item, "column"),
    instance_type: said("type"),
    match_text: said("text") ?? "",
    context: told.context,
    suggested_fix: said("suggestion"),
    specialist_guidance: again ? undefined : told.guidance,
    guide_section: told.section?.heading,
    guide_content: again ? undefined : told.section?.text,
    specialist: told.section === undefined ? undefined : told.pattern?.specialist,
  });
}

/** One or two sentences: there are many instances. Why the engine leaves it is said where nothing better is known. */
function instanceInstruction({ item, again, identical }: CheckDescription): string {
  const said = textsOf(item);
  const parts = [
    again > 0 ? "You reported it as converted, but it is still there." : "",
    said("action") ?? said("why") ?? "Change it as the workflow asks.",
    identical > 0 ? `${counted(identical, "other")} with the same text.` : "",
  ];
  return parts.filter((part) => part !== "").join(" ");
}

function entryDefinition(action: Action, told: CheckDescription): JsonObject {
  const { item, tool } = told;
  const said = textsOf(item);
  return defined({
    action: told.action,
    checklist_item_id: said("entry") ?? said("id") ?? action.step,
    file: said("file"),
    topic_id: said("topic_id"),
    tool_call: tool === undefined ? undefined : { tool: tool.name, arguments: tool.arguments },
    workflow_guidance: told.guidanceKeys,
    specialist: told.specialist,
  });
}

function entryInstruction({ item, again, phase }: CheckDescription, how: string): string {
  const what = typeof item["description"] === "string" ? item["description"] : "";
  const parts = [
    again > 0 ? "You reported it as done, but it is still open." : "",
    /[.!?]$/.test(what) || what === "" ? what : `${what}.`,
    how,
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
    : "REQUIRED: do this for the file and report what you found.";
}

/** How the entry is done by a client that was not told of its tool. */
function withoutTool({ topicFile }: CheckDescription, tool: string): string {
  if (topicFile !== undefined) return `REQUIRED: read ${topicFile} and apply it to the file; report what it brings to light.`;
  return `REQUIRED: call ${tool} if your client offers it (waymark mcp --tools knowledge), else read the file; report what you found.`;
}

/** What the engine can fix in one batch. `auto`: how many instances; `possible`: whether this run has batches. */
export function batchShown(action: Action, { auto, possible }: { readonly auto: number; readonly possible: boolean }): Shown {
  const what = auto === 0 ? "What remains" : counted(auto, "instance");
  if (!possible) {
    const inside = `${what} could be fixed in one batch, but a checklist inside another workflow has no batches: report completed, and each is handed out with its fix.`;
    return plainShown(action, inside, { action: action.what });
  }
  const instructions = `${what} can be fixed by the engine. Make the dry run, show it to the user, confirm with its token. To leave them for review instead, report action skip_batch, status skipped, with skip_reason.`;
  return plainShown(action, instructions, { action: action.what });
}

/** Everything is done but the end of the run. */
export function endShown(action: Action, { total, failed }: { readonly total: number; readonly failed: number }): Shown {
  const nothing =
    total === 0
      ? "No file matches, so there is nothing to do."
      : failed === 0
        ? "All files have been processed."
        : `All files have been processed, ${grouped(failed)} of them without success: workflow_retry opens them again.`;
  return plainShown(action, `${nothing} Call workflow_complete to end the run and get the report.`, { action: action.what });
}

/** A phase that the agent runs by itself. */
export function phaseShown(action: Action): Shown {
  const { args } = action;
  const said = (name: string): string => textOf(args[name] ?? "");
  const lines = isList(args["checklist"]) ? args["checklist"].map((line) => `- ${textOf(line)}`) : [];
  return plainShown(action, [`${said("name")}: ${said("description")}`, ...lines].join("\n"), { action: action.what });
}

function plainShown(action: Action, instructions: string, definition: JsonObject): Shown {
  return {
    step: { id: handOutId(action.step, action.id), type: action.what, instructions, definition },
    fillIn: { status: statusWanted },
  };
}
