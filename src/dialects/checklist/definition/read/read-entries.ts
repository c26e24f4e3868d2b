import { defined } from "../../../../base/index.ts";
import {
  child,
  descend,
  flagAt,
  has,
  isText,
  membersOf,
  numberAt,
  suggest,
  textAt,
  type Complain,
  type SourceNode,
} from "../../../../source/index.ts";
import { checkGlob, checkId, checkRegex, checkUnique } from "../check/check-text.ts";
import type { EntryDefinition, EntryType, PatternDiscovery, PhaseDefinition } from "../checklist-definition.ts";
import { entryTypes, entryWorkers } from "../vocabulary.ts";

interface Surroundings {
  readonly phases: readonly PhaseDefinition[];
  readonly patterns: PatternDiscovery;
}

export function readEntries(root: SourceNode, around: Surroundings, complain: Complain): EntryDefinition[] {
  if (!has(root, "per_file_checklist")) return defaultEntries(root, around, complain);
  const nodes = membersOf(child(root, "per_file_checklist"));
  const ids = nodes.map((node) => child(node, "id"));
  checkUnique(ids, "entry", complain);
  return nodes.map((node) => readEntry(node, around, complain));
}

function defaultEntries(root: SourceNode, { phases, patterns }: Surroundings, complain: Complain): EntryDefinition[] {
  complain(root, {
    code: "CHECKLIST_DEFAULT_USED",
    severity: "warning",
    message: "There is no `per_file_checklist`, so every file is analysed and then marked as reviewed.",
    fix: "Add `per_file_checklist:` with the entries that every file gets.",
    at: "key",
  });
  const pair = [
    { id: "analyze", type: "analysis", description: "Analyse the file and report what was found." },
    { id: "review_complete", type: "validation", description: "Everything in the file has been dealt with." },
  ] as const;
  return pair.flatMap(({ id, type, description }) => {
    const by = isEngines(type, patterns) ? ("engine" as const) : ("agent" as const);
    const phase = defaultPhase({ id, type, by }, phases);
    return phase === undefined ? [] : [{ id, type, description, required: true, by, phase: phase.id }];
  });
}

/** With a scan that makes items, the engine analyses by scanning and validates by scanning again. */
function isEngines(type: EntryType, patterns: PatternDiscovery): boolean {
  return patterns.enabled && patterns.createItems && (type === "analysis" || type === "validation");
}

function readEntry(node: SourceNode, around: Surroundings, complain: Complain): EntryDefinition {
  checkId(child(node, "id"), "entry", complain);
  const conditions = child(node, "conditions");
  checkGlob(child(conditions, "file_pattern"), complain);
  checkRegex(child(conditions, "content_pattern"), undefined, complain);
  const id = textAt(node, "id") ?? "";
  const type = entryTypes.find((each) => each === textAt(node, "type")) ?? "custom";
  const asked = namedPhase(node, around.phases, complain);
  const by = readWorker(node, type, { ...around, asked }, complain);
  const phase = asked ?? defaultPhase({ id, type, by }, around.phases);
  if (type === "pattern_instance" && !around.patterns.enabled)
    complain(child(node, "type") ?? node, {
      code: "CHECKLIST_NO_PATTERNS",
      message: `The entry \`${id}\` is about pattern instances, but nothing is scanned for.`,
      fix: "Add `pattern_discovery:` with patterns, or use another type.",
    });
  checkPhase(node, { id, type, by, phase, asked: has(conditions, "phase") }, complain);
  for (const key of by === "engine" ? ["topic", "timeout"] : []) {
    const written = child(node, key);
    if (written === undefined) continue;
    complain(written, {
      code: "CHECKLIST_WITHOUT_EFFECT",
      message: `\`${key}\` has no effect on an entry that the engine does.`,
      fix: "Remove it, or write `by: agent`.",
      at: "key",
    });
  }
  return {
    id,
    type,
    description: textAt(node, "description") ?? id,
    required: flagAt(node, "required") ?? true,
    by,
    phase: phase?.id ?? "",
    ...defined({
      filePattern: textAt(conditions, "file_pattern"),
      contentPattern: textAt(conditions, "content_pattern"),
      topic: textAt(node, "topic"),
      timeout: numberAt(node, "timeout"),
    }),
  };
}

function namedPhase(node: SourceNode, phases: readonly PhaseDefinition[], complain: Complain): PhaseDefinition | undefined {
  const named = descend(node, ["conditions", "phase"]);
  if (!isText(named) || named.value === "") return undefined;
  const ids = phases.map((phase) => phase.id);
  if (!ids.includes(named.value))
    complain(named, {
      code: "CHECKLIST_UNKNOWN_PHASE",
      message: `There is no phase \`${named.value}\`.`,
      fix: suggest(named.value, ids) ?? "Use the id of a phase.",
    });
  return phases.find((phase) => phase.id === named.value);
}

type Worker = Pick<Surroundings, "patterns"> & { readonly asked: PhaseDefinition | undefined };

function readWorker(node: SourceNode, type: EntryType, { patterns, asked }: Worker, complain: Complain): EntryDefinition["by"] {
  const written = entryWorkers.find((each) => each === textAt(node, "by"));
  if (written === undefined) {
    const agents = type === "analysis" && asked !== undefined && isWorker(asked);
    return isEngines(type, patterns) && !agents ? "engine" : "agent";
  }
  if (written === "engine" && !(patterns.enabled && (type === "analysis" || type === "validation"))) {
    complain(child(node, "by") ?? node, {
      code: "CHECKLIST_ENTRY_BY",
      message: patterns.enabled
        ? `The engine cannot do an entry of type \`${type}\`; it does \`analysis\` and \`validation\`.`
        : "The engine cannot do this entry, since there are no patterns to scan for.",
      fix: patterns.enabled ? "Write `by: agent`." : "Write `by: agent`, or add `pattern_discovery`.",
    });
  }
  return written;
}

interface Placed extends Pick<EntryDefinition, "id" | "type" | "by"> {
  readonly phase: PhaseDefinition | undefined;
  /** The entry names its phase. */
  readonly asked: boolean;
}

function checkPhase(node: SourceNode, { id, type, by, phase, asked }: Placed, complain: Complain): void {
  if (phase === undefined) {
    // An engine's analysis without a scan is reported once, where the patterns are.
    if (asked || by === "engine") return;
    return complain(node, {
      code: "CHECKLIST_ENTRY_PHASE",
      message: `The entry \`${id}\` is done by the agent, but no phase is guided or agent-driven.`,
      fix: "Add a phase with `mode: guided`, e.g. `review`.",
    });
  }
  if (fits({ type, by }, phase)) return;
  const need = by === "agent" ? "a guided or agent-driven phase" : type === "analysis" ? "a phase that scans" : "a phase after the scan";
  complain(descend(node, ["conditions", "phase"]) ?? node, {
    code: "CHECKLIST_ENTRY_PHASE",
    message: `The entry \`${id}\` is done by the ${by} and needs ${need}; \`${phase.id}\` is not one.`,
    fix: by === "agent" ? "Name another phase, or give that phase `mode: guided`." : "Name another phase, or write `by: agent`.",
  });
}

/** A phase in which an agent works on files. */
export function isWorker(phase: PhaseDefinition): boolean {
  return phase.role === "review" || phase.role === "agent";
}

/** Whether an entry can be done in a phase. */
export function fits({ type, by }: Pick<EntryDefinition, "type" | "by">, phase: PhaseDefinition): boolean {
  if (by === "agent") return isWorker(phase);
  return phase.role === "scan" || (type === "validation" && (isWorker(phase) || phase.role === "batch" || phase.role === "verification"));
}

const analysis = /^(?:code[_-]|file[_-]|document[_-])?analy(?:sis|[sz]e)$/i;

/** Where an entry belongs that does not name its phase: the phase of the same name, else the one whose words fit its type. */
export function defaultPhase(
  entry: Pick<EntryDefinition, "id" | "type" | "by">,
  phases: readonly PhaseDefinition[],
): PhaseDefinition | undefined {
  const possible = phases.filter((phase) => fits(entry, phase));
  const same = possible.find((phase) => phase.id === entry.id);
  if (same !== undefined) return same;
  const guided = possible.filter((phase) => phase.role === "review");
  const workers = guided.length > 0 ? guided : possible.filter(isWorker);
  switch (entry.type) {
    case "analysis":
      return entry.by === "engine" ? possible[0] : (workers.find(({ id }) => analysis.test(id)) ?? workers[0]);
    case "topic_application":
      return named(workers, /(?:^|[_-])(?:topics?|specialists?)(?:$|[_-])/i) ?? workers.at(-1);
    case "pattern_instance":
      return named(workers, /(?:^|[_-])(?:convert|conversion|migrat\w+|instances?)(?:$|[_-])/i) ?? workers.at(-1);
    case "validation":
    case "custom":
      return workers.at(-1) ?? possible.at(-1);
  }
}

/** The first phase whose id has such a word, else the first that offers such an action. */
function named(phases: readonly PhaseDefinition[], form: RegExp): PhaseDefinition | undefined {
  return (
    phases.find(({ id }) => form.test(id)) ?? phases.find(({ availableActions }) => availableActions.some((action) => form.test(action)))
  );
}
