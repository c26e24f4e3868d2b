import { counted, textOf } from "../../../base/index.ts";
import { quoteList, type Told } from "../../../source/index.ts";
import type { ChecklistDefinition, PhaseDefinition } from "./checklist-definition.ts";

/** A checklist for people who have not seen one. */
export function tellChecklist(definition: ChecklistDefinition): Told {
  const { phases, rules, verify, approach, versionUpgrade } = definition;
  const hasBatch = phases.some(({ role }) => role === "batch") || approach?.options.some(({ id }) => id === "apply_auto_first") === true;
  const upgrade =
    versionUpgrade !== undefined && (versionUpgrade.source === undefined || versionUpgrade.target === undefined)
      ? ["Which version the code comes from and which one it goes to."]
      : [];
  const choice =
    approach === undefined
      ? []
      : [
          `Once the places are known: how to go about them. ${approach.options.map(({ label, description }) => `${label}${description === "" ? "" : ` (${withoutStop(description)})`}`).join("; ")}.`,
        ];
  const batch = hasBatch
    ? ["Before a batch of changes: whether the dry run, which shows each of them, is right. Without your word none is made."]
    : [];
  const hard = phases.flatMap((phase) => (phase.hardStop ? [`Before “${phase.name}”: whether to begin it.`] : []));
  return {
    happens: phases.flatMap((phase) => phaseLines(definition, phase)),
    asks: [...upgrade, ...choice, ...batch, ...hard],
    ...(phases.some(({ role }) => role === "verification") && verify.length === 0
      ? { runs: ["The commands that your configuration names as `verify`, if it names any and you allowed them."] }
      : {}),
    ends: `${endText(rules, verify.length > 0)} It takes one turn of an agent for each file and each place: \`waymark scan ${definition.type}\` counts them before you start.`,
  };
}

function phaseLines(definition: ChecklistDefinition, phase: PhaseDefinition): readonly string[] {
  const { checklist, patterns, verify } = definition;
  const mayBeLeftOut = phase.required ? "" : " You may leave this out.";
  switch (phase.role) {
    case "inventory":
      return [`Waymark lists the files: ${filesText(definition)}`];
    case "guides":
      return ["Waymark finds the guides that say what has to be converted."];
    case "scan":
      return scanLines(definition);
    case "batch":
      return [
        `Waymark makes the changes that cannot alter what the code does, all at once; \`waymark undo\` takes them back.${mayBeLeftOut}`,
      ];
    case "review": {
      const tasks = checklist.filter((entry) => entry.by !== "engine" && entry.phase === phase.id);
      const isFirst = definition.phases.find(({ role }) => role === "review") === phase;
      const places = patterns.enabled && isFirst ? ", and each place that was found in it" : "";
      return [
        `An agent gets one file after another${places}: ${withoutStop(phase.description)}.${mayBeLeftOut}`,
        ...tasks.map(({ description }) => ` ${description}`),
      ];
    }
    case "verification":
      return [
        verify.length === 0
          ? "Waymark looks whether anything is left, and runs the checks of your configuration."
          : "Waymark runs the checks.",
      ];
    case "summary":
      return ["Waymark writes the report: what was found, done, skipped and why."];
    case "agent":
    case "task":
      return [`An agent does “${phase.name}”: ${phase.description}${mayBeLeftOut}`];
  }
}

function scanLines({ patterns, tools = [] }: ChecklistDefinition): readonly string[] {
  const runs = `runs ${quoteList(
    tools.map(({ id }) => id),
    "and",
  )}, as far as they are there, and takes over what they report.`;
  const isOwn = patterns.patterns.length > 0 || patterns.fromGuides;
  if (tools.length > 0 && !isOwn) return [`Waymark ${runs}`];
  const own = `Waymark looks in every file for ${soughtText(patterns)}. This takes seconds, and no agent is needed.`;
  return tools.length === 0 ? [own] : [own, ` It also ${runs}`];
}

function filesText({ filePatterns, fileExclusions, gitignore }: ChecklistDefinition): string {
  const left = [...(fileExclusions.length === 0 ? [] : [fewOf(fileExclusions)]), ...(gitignore ? ["what git ignores"] : [])];
  return `${fewOf(filePatterns)}${left.length === 0 ? "" : `, without ${left.join(" and ")}`}.`;
}

const mostListed = 6;

function fewOf(globs: readonly string[]): string {
  if (globs.length <= mostListed) return quoteList(globs, "and");
  return `${globs
    .slice(0, mostListed)
    .map((glob) => `\`${glob}\``)
    .join(", ")} and ${globs.length - mostListed} more`;
}

function withoutStop(text: string): string {
  return text.trim().replace(/\.$/, "");
}

function soughtText({ patterns, fromGuides }: ChecklistDefinition["patterns"]): string {
  const names = patterns.map((pattern) => textOf(pattern["name"] ?? pattern["id"] ?? ""));
  const own = names.length === 0 ? "" : `${counted(names.length, "kind of place", "kinds of places")}: ${names.join(", ")}`;
  return [own, fromGuides ? "what the guides are about" : ""].filter((part) => part !== "").join(", and ") || "what its author asks for";
}

function endText({ requireAllFiles, requireAllItems, allowSkip }: ChecklistDefinition["rules"], checks: boolean): string {
  const all = [...(requireAllFiles ? ["every file"] : []), ...(requireAllItems ? ["every place"] : [])];
  const dealt = all.length === 0 ? "When the last phase is over" : `When ${all.join(" and ")} is dealt with`;
  return `${dealt}${checks ? " and the checks pass" : ""}. ${allowSkip ? "What is skipped needs a reason." : "Nothing may be skipped."}`;
}
