import { defined, isObject } from "../../../../base/index.ts";
import { child, entriesOf, flagAt, has, membersOf, numberAt, readTask, textAt, type SourceNode } from "../../../../source/index.ts";
import type { GateDefinition, OutcomeDefinition, RepairDefinition, StateDefinition, StepDefinition } from "../machine-definition.ts";
import { endWord, machineDefaults, stepWords } from "../vocabulary.ts";
import { textMap, texts } from "./read-machine.ts";

/** How many files each mode may change; absent where it is not limited. */
export type Limits = Readonly<Record<string, number>>;

interface Ground {
  readonly limits: Limits;
  /** State that a machine is inside of. */
  readonly around?: string;
}

/** States as they are written; what is malformed is left out or empty, so that the rest can be checked. */
export function readStates(states: SourceNode | undefined, ground: Ground): Record<string, StateDefinition> {
  return Object.fromEntries(entriesOf(states).map(([name, node]) => [name, readState(name, node, ground)]));
}

/** `most_files` in conditions is the limit of the mode the run is in. */
export const limitName: RegExp = /(?<![\w$.'"])most_files(?![\w$])/g;

function readWhen(node: SourceNode, limits: Limits): string | undefined {
  return textAt(node, "when")?.replace(limitName, () => `(${JSON.stringify(limits)}[mode] ?? Infinity)`);
}

/** A condition as its author wrote it. */
export function asWritten(when: string): string {
  return when.replaceAll(/\(\{[^{}]*\}\[mode\] \?\? Infinity\)/g, "most_files");
}

function readState(name: string, node: SourceNode, { limits, around }: Ground): StateDefinition {
  const repair = child(node, "repair");
  const to = (key: string): string | null => target(textAt(repair, key) ?? "");
  const inner = defined({
    each: textAt(node, "each") === "tasks" ? ("tasks" as const) : undefined,
    ahead: has(node, "ahead")
      ? { role: textAt(child(node, "ahead"), "role") ?? "", most: textAt(child(node, "ahead"), "most") ?? "1" }
      : undefined,
    start: textAt(node, "start") ?? "",
    states: readStates(child(node, "states"), { limits, around: name }),
  });
  return defined({
    shownAs: textAt(node, "shown_as"),
    title: textAt(node, "title") ?? name,
    steps: membersOf(child(node, "do")).flatMap((step) => readStep(step, around ?? name, limits) ?? []),
    inner: has(node, "states") ? inner : undefined,
    repair: repair && readRepair(repair),
    outcomes:
      repair === undefined ? readOutcomes(node, limits) : [{ when: "repair.accepted === true", to: to("accepted") }, { to: to("back") }],
  });
}

function readOutcomes(node: SourceNode, limits: Limits): OutcomeDefinition[] {
  const judged = membersOf(child(node, "on")).flatMap((each) => {
    const when = readWhen(each, limits);
    const to = textAt(each, "to");
    return when === undefined || to === undefined ? [] : [{ when, to: target(to) }];
  });
  const next = textAt(node, "next");
  return next === undefined ? judged : [...judged, { to: target(next) }];
}

function target(to: string): string | null {
  return to === endWord ? null : to;
}

function readRepair(node: SourceNode): RepairDefinition {
  return {
    role: textAt(node, "by") ?? "",
    tries: numberAt(node, "tries") ?? machineDefaults.tries,
    goal: textAt(node, "goal") ?? "",
    back: textAt(node, "back") ?? "",
    accepted: textAt(node, "accepted") ?? "",
    ...defined({ cutScope: textAt(node, "cut_scope") }),
  };
}

function readStep(node: SourceNode, outer: string, limits: Limits): StepDefinition | undefined {
  const word = stepWords.find((each) => has(node, each));
  const step = word === undefined ? undefined : readKind(word, node, outer);
  return step === undefined ? undefined : { ...step, ...defined({ when: readWhen(node, limits) }) };
}

function readKind(word: (typeof stepWords)[number], node: SourceNode, outer: string): StepDefinition {
  const named = textAt(node, word) ?? "";
  const of = named === "task" ? "task" : "all";
  switch (word) {
    case "dispatch":
      return {
        step: "dispatch",
        role: named,
        leaves: texts(node, "leaves"),
        ...defined({ goal: textAt(node, "goal") }),
        meta: flagAt(node, "meta") ?? false,
      };
    case "task":
      return {
        step: "task",
        task: { name: named, spec: readTask(node), retries: numberAt(node, "retries") ?? 0, ...defined({ into: textAt(node, "into") }) },
      };
    case "gate":
      return { step: "gate", gate: readGate(named, node, outer) };
    case "ask":
      return {
        step: "ask",
        ask: {
          kind: named,
          question: textAt(node, "question") ?? "",
          options: Object.entries(textMap(child(node, "options"))).map(([value, label]) => ({ value, label })),
          ...defined({ into: textAt(node, "into") }),
          insists: flagAt(node, "insists") ?? false,
        },
      };
    case "checks":
      return { step: "checks", of };
    case "take_tasks":
      return { step: "take_tasks", from: named };
    case "promote":
      return { step: "promote", of, to: textAt(node, "to") === "implemented" ? "implemented" : "completed" };
    case "workflow": {
      const inputs = child(node, "inputs")?.value ?? {};
      return { step: "workflow", workflow: named, inputs: isObject(inputs) ? inputs : {} };
    }
    case "report":
    case "finish":
      return { step: word };
  }
}

function readGate(id: string, node: SourceNode, outer: string): GateDefinition {
  const changes = child(node, "changes");
  return defined({
    id,
    question: textAt(node, "question") ?? "",
    shows: texts(node, "shows"),
    binds: texts(node, "binds"),
    passes: textAt(node, "passes"),
    choices: textMap(child(node, "choices")),
    also: Object.fromEntries(entriesOf(child(node, "also")).map(([choice]) => [choice, texts(child(node, "also") ?? node, choice)])),
    into: textAt(node, "into"),
    recommend: textAt(node, "recommend"),
    changes: changes && readChanges(changes, outer),
    allowsCommands: flagAt(node, "allows_commands") ?? false,
    reasks: numberAt(node, "reasks") ?? machineDefaults.reasks,
  });
}

function readChanges(node: SourceNode, state: string): NonNullable<GateDefinition["changes"]> {
  const route = entriesOf(child(node, "roles")).map(([role, words]) => ({
    role,
    words: membersOf(words).flatMap(({ value }) => (typeof value === "string" ? [value] : [])),
  }));
  return defined({ prefix: textAt(node, "prefix") ?? machineDefaults.changesPrefix, route, history: textAt(node, "history"), state });
}
