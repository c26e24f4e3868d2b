import {
  child,
  flagAt,
  has,
  listedTexts,
  membersOf,
  numberAt,
  quoteList,
  readTask,
  textAt,
  type Complain,
  type SourceNode,
} from "../../../../source/index.ts";
import { defined } from "../../../../base/index.ts";
import { checkId, checkUnique } from "../check/check-text.ts";
import type { PhaseDefinition, PhaseMode, PhaseRole } from "../checklist-definition.ts";
import { autonomousWork, phaseModes } from "../vocabulary.ts";
import { readConditions } from "./read-conditions.ts";

export function readPhases(root: SourceNode, work: EngineWork, complain: Complain): PhaseDefinition[] {
  const nodes = membersOf(child(root, "phases"));
  const ids = nodes.map((node) => child(node, "id"));
  checkUnique(ids, "phase", complain);
  for (const id of ids) checkId(id, "phase", complain);
  const roles = assignRoles(nodes, work, complain);
  const phases = nodes.map((node, index): PhaseDefinition => {
    const { id, mode, actions: availableActions } = wordsOf(node);
    const role = roles[index] ?? "review";
    return {
      id,
      name: textAt(node, "name") ?? id,
      description: textAt(node, "description") ?? "",
      required: flagAt(node, "required") ?? true,
      mode: modeOf(role, mode),
      role,
      ...readConditions(nodes, index, complain),
      availableActions,
      hardStop: flagAt(node, "hard_stop") ?? false,
      ...defined({ specialist: textAt(node, "specialist_handoff") }),
      checklist: listedTexts(node, "checklist").map((line) => line.value),
      ...taskOf(child(node, "task")),
    };
  });
  checkOrder(nodes, phases, complain);
  return phases;
}

function taskOf(node: SourceNode | undefined): Pick<PhaseDefinition, "task" | "retries"> {
  return node === undefined ? {} : { task: readTask(node), retries: numberAt(node, "retries") ?? 0 };
}

interface Words {
  readonly id: string;
  readonly mode: PhaseMode | undefined;
  readonly actions: readonly string[];
  /** What the id means, or else the actions. */
  readonly role: PhaseRole | undefined;
  /** It is a task, whatever its id and actions mean. */
  readonly task: boolean;
}

function wordsOf(node: SourceNode): Words {
  const id = textAt(node, "id") ?? "";
  const actions = listedTexts(node, "available_actions").map((action) => action.value);
  const word = id.toLowerCase().replaceAll(/[-.:]/g, "_");
  const task = has(node, "task");
  const meant =
    idRoles.find(([, form]) => form.test(word))?.[0] ?? actionRoles.find(([, form]) => actions.some((action) => form.test(action)))?.[0];
  return { id, actions, mode: phaseModes.find((mode) => mode === textAt(node, "mode")), role: task ? undefined : meant, task };
}

/** A written mode decides who works in a phase; only without one, or with `autonomous`, the engine looks for something to do. */
function assignRoles(nodes: readonly SourceNode[], work: EngineWork, complain: Complain): PhaseRole[] {
  const all = nodes.map(wordsOf);
  // Where the phases begin that only end the run: reports, and autonomous phases whose id says nothing else.
  const ending =
    all.findLastIndex(
      ({ role, mode, id, task }) => task || (role !== "summary" && (mode !== "autonomous" || role !== undefined || isAnalysis(id))),
    ) + 1;
  const roles: PhaseRole[] = [];
  for (const [index, node] of nodes.entries()) {
    const words = all[index] as Words;
    const ends = index >= ending;
    if (words.task) roles.push("task");
    else if (words.mode === "autonomous" || words.mode === undefined)
      roles.push(engineRole(node, words, { work, taken: roles, ends }, complain));
    else if (words.role === "batch" && work.patterns) roles.push("batch");
    else if (words.role === "summary" && ends) roles.push("summary");
    else roles.push(words.mode === "agent_driven" ? "agent" : "review");
  }
  return roles;
}

function isAnalysis(id: string): boolean {
  return /^(?:code_)?analysis$/i.test(id);
}

interface Surroundings {
  readonly work: EngineWork;
  readonly taken: readonly PhaseRole[];
  /** Nothing but reports follows. */
  readonly ends: boolean;
}

function engineRole(node: SourceNode, words: Words, { work, taken, ends }: Surroundings, complain: Complain): PhaseRole {
  const autonomous = words.mode === "autonomous";
  const role = words.role ?? (autonomous && isAnalysis(words.id) ? "scan" : undefined);
  if (role !== undefined && isPossible(role, work, taken) && (role !== "summary" || ends)) return role;
  if (!autonomous) {
    if (role !== undefined) complainOfGuided(node, words.id, role, complain);
    return "review";
  }
  if (role === undefined && ends) {
    complain(child(node, "id") ?? node, {
      code: "CHECKLIST_TAKEN_AS_SUMMARY",
      severity: "warning",
      message: `The autonomous phase \`${words.id}\` is taken as the summary: it is at the end, and its id is unknown.`,
      fix: "Name it `summary`, or give it `mode: guided`.",
    });
    return "summary";
  }
  complain(child(node, "mode") ?? node, {
    code: "CHECKLIST_NOTHING_AUTONOMOUS",
    message: `The engine has nothing to do in the autonomous phase \`${words.id}\`${role === undefined ? "" : `: ${whatItNeeds(role)}`}. By itself it can ${autonomousWork.join(", ")}.`,
    fix: "Write `mode: guided`, or give the phase an id that says what the engine does.",
  });
  return "review";
}

function complainOfGuided(node: SourceNode, id: string, role: PhaseRole, complain: Complain): void {
  complain(child(node, "id") ?? node, {
    code: "CHECKLIST_GUIDED_INSTEAD",
    severity: "warning",
    message: `The engine has nothing to do in the phase \`${id}\`, so it is guided: ${whatItNeeds(role)}.`,
    fix: "Write `mode: guided` if that is meant, or add what is missing.",
  });
}

/** Engine phases build on each other, so they come in this order. */
const order: readonly PhaseRole[] = ["inventory", "guides", "scan", "batch"];

function checkOrder(nodes: readonly SourceNode[], phases: readonly PhaseDefinition[], complain: Complain): void {
  for (const [index, node] of nodes.entries()) {
    const { id = "", role } = phases[index] ?? {};
    const rank = order.findIndex((each) => each === role);
    const early = phases.slice(0, index).filter((other) => order.indexOf(other.role) > rank && rank >= 0);
    if (early.length === 0) continue;
    const names = quoteList(
      early.map((other) => other.id),
      "and",
    );
    complain(child(node, "id") ?? node, {
      code: "CHECKLIST_PHASE_ORDER",
      message: `The phase \`${id}\` must come before ${names}, which needs what it brings.`,
      fix: "Move it up.",
    });
  }
}

/** What the rest of the file gives the engine to do. */
export interface EngineWork {
  readonly patterns: boolean;
  readonly guides: boolean;
}

const idRoles: readonly (readonly [PhaseRole, RegExp])[] = [
  ["inventory", /^(?:\w+_)?inventory$/],
  ["guides", /^(?:conversion_)?guides?(?:_discovery)?$/],
  ["scan", /^(?:\w+_)?scan(?:ning)?$|^(?:\w+_)?classif(?:y|ication)$|^impact_analysis$/],
  ["batch", /^batch(?:_\w+)?$|^(?:\w+_)?batch$|^auto_?fix(?:es)?$/],
  ["verification", /^(?:\w+_)?verif(?:y|ication)$|^(?:compile|compilation)(?:_\w+)?$/],
  ["summary", /^(?:\w+_)?(?:summary|report|reporting|completion|recommendations)$|^report_generation$/],
];

const actionRoles: readonly (readonly [PhaseRole, RegExp])[] = [
  ["guides", /^load_conversion_guides$/],
  ["scan", /^scan_|^expand_checklist_with_instances$/],
  ["batch", /^batch_apply$/],
  ["verification", /^(?:compile_check|run_tests)$/],
];

/** Roles the engine fills without an agent, whatever the phase says beside that. */
const alone: readonly PhaseRole[] = ["inventory", "guides", "scan", "verification"];

/** The mode that follows from a role: what was written counts where both are possible. */
export function modeOf(role: PhaseRole, written: PhaseMode | undefined): PhaseMode {
  if (role === "review") return "guided";
  if (role === "agent" || role === "task") return "agent_driven";
  return alone.includes(role) ? "autonomous" : (written ?? "autonomous");
}

/** Whether the engine has something to do in a phase of this role. `taken`: roles that earlier phases have. */
export function isPossible(role: PhaseRole, work: EngineWork, taken: readonly PhaseRole[]): boolean {
  switch (role) {
    case "inventory":
      return !taken.includes("inventory");
    case "guides":
      return work.guides && !taken.includes("guides");
    case "scan":
    case "batch":
      return work.patterns;
    default:
      return true;
  }
}

/** What would have to be in the file for the engine to have this work. */
export function whatItNeeds(role: PhaseRole): string {
  switch (role) {
    case "inventory":
      return "the files are already listed in an earlier phase";
    case "guides":
      return "it needs `version_upgrade` or `source: knowledge_topics`, and only one phase looks for guides";
    case "scan":
    case "batch":
      return "it needs `pattern_discovery` with patterns, or `findings_from`";
    default:
      return "the report is written when all other phases are over";
  }
}
