import { counted, defined, isList, isObject, textOf, type Json, type JsonObject } from "../../../base/index.ts";
import type { Program } from "../../../program/index.ts";
import { quoteList, type Explanation } from "../../../source/index.ts";
import type { ChecklistDefinition, EntryDefinition, PhaseDefinition } from "./checklist-definition.ts";
import { tellChecklist } from "./tell-checklist.ts";

/** A checklist as its author thinks of it: which files, what is done to each, and the phases in their order. */
export function explainChecklist({ parts, main }: Program): Explanation {
  const definition = parts[main]?.config["checklist"] as unknown as ChecklistDefinition;
  const { name, type, description, version, phases, checklist } = definition;
  return {
    text: () =>
      [
        `${type} ${version}: ${name}`,
        description.trim(),
        "",
        filesText(definition),
        "",
        "Phases:",
        ...phases.map((phase, at) => `  ${at + 1}. ${phaseText(phase)}`),
        ...(checklist.length === 0 ? [] : ["", "For each file:", ...checklist.map((entry) => `  - ${entryText(entry)}`)]),
        "",
        ...workLines(definition),
        rulesText(definition),
      ].join("\n"),
    mermaid: () =>
      [
        "flowchart TD",
        ...phases.map(({ name: phase }, at) => `  p${at}["${phase.replaceAll('"', "'")}"]`),
        ...phases.slice(1).map((_, at) => `  p${at} --> p${at + 1}`),
      ].join("\n"),
    told: () => tellChecklist(definition),
    data: () => ({ workflow: type, ...(definition as unknown as Readonly<Record<string, Json>>) }),
  };
}

function filesText({ filePatterns, fileExclusions, gitignore }: ChecklistDefinition): string {
  const left = [...(fileExclusions.length === 0 ? [] : [quoteList(fileExclusions, "and")]), ...(gitignore ? ["what git ignores"] : [])];
  return `Files: ${quoteList(filePatterns, "and")}${left.length === 0 ? "" : `, without ${left.join(" and ")}`}.`;
}

const roleTexts: Readonly<Record<PhaseDefinition["role"], string>> = {
  inventory: "Waymark lists the files",
  guides: "Waymark finds conversion guides",
  scan: "Waymark scans for the patterns",
  batch: "Waymark applies certain fixes in batches, after a preview",
  review: "each file with its entries and places",
  agent: "for an agent",
  task: "a task",
  verification: "Waymark runs the verification commands",
  summary: "the report",
};

function phaseText({ id, role, hardStop, after, required, task }: PhaseDefinition): string {
  const more = [
    ...(required ? [] : ["may be left out"]),
    ...(after.length === 0 ? [] : [`after ${quoteList(after, "and")}`]),
    ...(hardStop ? ["a person lets the run into it"] : []),
  ];
  const head = [`${id}: ${roleTexts[role]}`, ...more].join(", ");
  return task === undefined ? head : [head, ...taskLines({ ...task } as JsonObject)].join("\n     ");
}

/** What a task says, key by key. */
function taskLines(task: JsonObject): readonly string[] {
  return Object.entries(task).map(([key, held]) => `${key}: ${plainText(held)}`);
}

/** An expression is shown as it is written. */
function plainText(held: Json): string {
  if (isObject(held) && typeof held["as"] === "string") return textOf(held["of"] ?? "");
  if (isList(held)) return held.map(plainText).join(", ");
  return isObject(held) ? taskLines(held).join("; ") : textOf(held);
}

function entryText({ id, type, description, by, phase, required, filePattern, topic, timeout }: EntryDefinition): string {
  const more = Object.entries(defined({ files: filePattern, topic, seconds: timeout })).map(([key, value]) => `${key} ${textOf(value)}`);
  const how = [`${type} by ${by === "engine" ? "Waymark" : "an agent"}`, `in ${phase}`, ...(required ? [] : ["may be skipped"]), ...more];
  return `${id} (${how.join(", ")}): ${description}`;
}

function workLines({
  patterns,
  tools = [],
  topics,
  verify,
  subWorkflows,
  approach,
  versionUpgrade,
}: ChecklistDefinition): readonly string[] {
  const guides = patterns.fromGuides ? " and those of conversion guides" : "";
  return [
    ...(patterns.enabled ? [`Patterns: ${counted(patterns.patterns.length, "pattern")}${guides}.`] : []),
    ...patterns.patterns.map((pattern) => `  - ${textOf(pattern["id"] ?? pattern["name"] ?? "")}`).filter(() => patterns.enabled),
    ...(tools.length === 0 ? [] : [`Findings from ${counted(tools.length, "tool")}:`]),
    ...tools.map(({ id, command }) => `  - ${id}: ${command}`),
    ...(topics.enabled ? [`Topics of knowledge are found with ${topics.tool}.`] : []),
    ...(approach === undefined
      ? []
      : [
          `First ${approach.answerBy === "person" ? "a person" : "the user"} chooses the way: ${approach.options.map(({ id }) => id).join(" | ")}.`,
        ]),
    ...(versionUpgrade === undefined
      ? []
      : [`Upgrade from ${versionUpgrade.source ?? "any version"} to ${versionUpgrade.target ?? "any"}.`]),
    ...(subWorkflows.length === 0 ? [] : [`Calls ${quoteList(subWorkflows, "and")} on the same files.`]),
    ...verify.map(({ name, command }) => `Verification: ${name === command ? command : `${name}: ${command}`}`),
  ];
}

function rulesText({ rules: { requireAllFiles, requireAllItems, allowSkip } }: ChecklistDefinition): string {
  const all = [...(requireAllFiles ? ["all files"] : []), ...(requireAllItems ? ["all entries and places"] : [])];
  return `It is done when ${all.length === 0 ? "its phases are" : `${all.join(" and ")} are dealt with`}; ${allowSkip ? "what is skipped needs a reason" : "nothing may be skipped"}.`;
}
