import type { JsonObject } from "../../base/index.ts";
import { describeCheck, type CheckDescription, type Position } from "../../engine/index.ts";
import { instanceStatusWanted, sessionArguments, statusWanted, type Driver, type Shown } from "./driver.ts";
import type { Facts } from "./facts.ts";
import { counted } from "./plain-number.ts";

export type OpenAction = Extract<Position["standing"], { readonly kind: "action" }>["action"];

/** The entry, topic or instance in the driver's hands; undefined when the action is none of these. */
export async function checkShown(driver: Driver, { run }: Position, facts: Facts, open: OpenAction): Promise<Shown | undefined> {
  const { engine } = driver.call;
  const told = await describeCheck(engine, await engine.runs.open(run), open);
  if (told === undefined) return undefined;
  const session = sessionArguments(driver, run);
  if (told.item["kind"] === "instance") return instanceOf(session, open, told);
  return entryOf({ session, facts, without: await withoutTool(driver, told) }, open, told);
}

/** How the entry is done by whoever was not told of its tool; empty when the client knows it. */
async function withoutTool({ call }: Driver, { item, tool }: CheckDescription): Promise<string> {
  if (tool === undefined || call.offers(tool.name)) return "";
  const topic = typeof item["topic_id"] === "string" ? await call.engine.knowledge.topic(item["topic_id"]) : undefined;
  if (topic !== undefined) return `REQUIRED: read ${topic.file} and apply it to the file; report what it brings to light.`;
  return `REQUIRED: call ${tool.name} if your client offers it (waymark mcp --tools knowledge), else read the file; report what you found.`;
}

/** Texts of a row's data; empty ones count as absent. */
function textsOf(item: JsonObject): (name: string) => string | undefined {
  return (name) => (typeof item[name] === "string" && item[name] !== "" ? item[name] : undefined);
}

function numberAt(item: JsonObject, name: string): number | undefined {
  return typeof item[name] === "number" ? item[name] : undefined;
}

function instanceOf(session: JsonObject, open: OpenAction, told: CheckDescription): Shown {
  const { item } = told;
  const said = textsOf(item);
  const id = said("id") ?? open.step;
  return {
    action: {
      action: told.action,
      actionId: open.id,
      item: id,
      instruction: instanceInstruction(told),
      match_text: said("text") ?? "",
      ...present({
        file: said("file"),
        line: numberAt(item, "line"),
        column: numberAt(item, "column"),
        instance_type: said("type"),
        context: told.context,
        suggested_fix: said("suggestion"),
        specialist_guidance: told.again > 0 ? undefined : told.guidance,
        guide_section: told.section?.heading,
        guide_content: told.again > 0 ? undefined : told.section?.text,
      }),
      next_call: { tool: "workflow_progress", arguments: { ...session, action_id: open.id } },
      fill_in: { status: instanceStatusWanted },
    },
    checklist: [],
    ...(told.section === undefined || told.pattern?.specialist === undefined ? {} : { extra: { specialist: told.pattern.specialist } }),
  };
}

/** One or two sentences: there are many instances. Why the engine leaves it is said where nothing better is known. */
function instanceInstruction({ item, again, identical, notes }: CheckDescription): string {
  const said = textsOf(item);
  const parts = [
    ...notes.map((note) => `Note from a person: ${note}`),
    again > 0 ? "You reported it as converted, but it is still there." : "",
    said("action") ?? said("why") ?? "Change it as the workflow asks.",
    identical > 0 ? `${counted(identical, "other")} with the same text.` : "",
  ];
  return parts.filter((part) => part !== "").join(" ");
}

interface Around {
  readonly session: JsonObject;
  readonly facts: Facts;
  readonly without: string;
}

function entryOf({ session, facts, without }: Around, open: OpenAction, told: CheckDescription): Shown {
  const { item, tool } = told;
  const said = textsOf(item);
  const id = said("entry") ?? said("id") ?? open.step;
  const guidance = facts.behaviour.reported === 0 ? told.guidanceKeys : undefined;
  const extra = present({ workflow_guidance: guidance, specialist: told.specialist });
  return {
    action: {
      action: told.action,
      actionId: open.id,
      item: id,
      instruction: entryInstruction(told, without),
      ...present({ file: said("file"), topic_id: said("topic_id") }),
      ...(tool === undefined ? {} : { tool_call: { tool: tool.name, arguments: tool.arguments } }),
      next_call: { tool: "workflow_progress", arguments: { ...session, action_id: open.id } },
      fill_in: { status: statusWanted },
    },
    checklist: told.checklist,
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function entryInstruction({ action, item, again, notes, phase, tool }: CheckDescription, without: string): string {
  const what = typeof item["description"] === "string" ? item["description"] : "";
  const how = without === "" ? withTool(action, tool) : without;
  const parts = [
    ...notes.map((note) => `Note from a person: ${note}`),
    again > 0 ? "You reported it as done, but it is still open." : "",
    /[.!?]$/.test(what) || what === "" ? what : `${what}.`,
    how,
    ...phase,
  ];
  return parts.filter((part) => part !== "").join(" ");
}

function withTool(action: string, tool: CheckDescription["tool"]): string {
  if (action === "apply_topic")
    return "REQUIRED: get the topic with the tool_call and apply it to the file; report what it brings to light.";
  if (action !== "analyze_file") return "";
  return tool?.name.startsWith("analyze") === true
    ? "REQUIRED: make the tool_call, look at what it found in the file, and pass its expand_checklist_payload on as expand_checklist."
    : "REQUIRED: do this for the file and report what you found.";
}

function present<Held extends Readonly<Record<string, unknown>>>(held: Held): { [Key in keyof Held]?: Exclude<Held[Key], undefined> } {
  return Object.fromEntries(Object.entries(held).filter(([, value]) => value !== undefined)) as never;
}
