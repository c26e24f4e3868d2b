import type { Json, JsonObject, Place } from "../../../base/index.ts";
import { programVersion, type BlockId, type MachineState, type Program } from "../../../program/index.ts";
import { condition, createSheet, value } from "../../../source/index.ts";
import { kept, lowerAhead } from "./lower/lower-ahead.ts";
import { engine, lowerRepair, lowerStep, machineLists, type Builder } from "./lower/lower-step.ts";
import {
  everyState,
  type MachineDefinition,
  type OutcomeDefinition,
  type StateDefinition,
  type StepDefinition,
} from "./machine-definition.ts";

/** What conditions of a definition can name, beside inputs, `task` and what gates and questions write `into`. */
export const machineNames = ["mode", "output", "answer", "checks", "repair", "changed_files", "task_count"] as const;

/** Where a run begins: the engine reads what is there already and says which state comes first. */
const beginning = "$begin";

/** The block around all states. A program that calls the machine puts a prefix before it, as before every block of the machine. */
export const machineRoot = "machine";

/** States become states of a `machine` block; questions are asked inline, so that their return address is the strand's own place. */
export function lowerMachine(definition: MachineDefinition, place: Place): Program {
  const { blocks, places, put } = createSheet(place);
  const builder: Builder = { definition, put, shown: "", prefix: "", outer: new Set(), handles: [], tasks: false };
  const into = writtenNames(definition.states);
  return {
    version: programVersion,
    name: definition.name,
    dialect: "machine",
    main: definition.name,
    parts: {
      [definition.name]: {
        name: definition.name,
        dialect: "machine",
        description: definition.description,
        version: definition.version,
        inputs: definition.inputs,
        config: { machine: definition as unknown as Json },
        defaults: { raw: { ...Object.fromEntries(into.map((name) => [name, null])), ...initial, ...aheadNames(definition) }, state: {} },
        fields: { raw: {}, state: {} },
        computed: [],
        root: lowerRoot(builder),
        entries: {},
        worklists: [{ id: machineLists.tasks, facets: ["label"] }],
        rules: [{ id: "done", when: condition("finished === true"), message: "The definition of done does not hold yet." }],
        tracking: {},
        onResume: { retryFailedSteps: true, skipCompletedSteps: true, resetErrorCounts: false, load: [], exclude: [] },
      },
    },
    blocks,
    places,
  };
}

/** Names that the machine itself writes. */
export const initial = {
  mode: "",
  session: "",
  start: "",
  state: "",
  dispatch: null,
  output: null,
  answer: null,
  question: null,
  checks: null,
  repair: null,
  changed_files: 0,
  task_count: 0,
  finished: false,
  settled_gate: "",
  correction: null,
  machine: {},
} as const;

/** What working ahead writes, in machines that do. */
function aheadNames({ states }: MachineDefinition): JsonObject {
  return everyState(states).some(({ inner }) => inner?.ahead !== undefined) ? { wave: { tasks: [] }, ahead: {} } : {};
}

function writtenNames(states: MachineDefinition["states"]): string[] {
  return everyState(states).flatMap(({ steps }) => steps.flatMap((step) => intoOf(step) ?? []));
}

function intoOf(step: StepDefinition): string | undefined {
  return step.step === "gate" ? step.gate.into : step.step === "ask" ? step.ask.into : step.step === "task" ? step.task.into : undefined;
}

function lowerRoot(builder: Builder): BlockId {
  const { definition, put } = builder;
  const begin = put(engine(beginning, "machine_begin", {}));
  const names = Object.keys(definition.states);
  const route: MachineState = {
    body: begin,
    outcomes: names.map((name) => ({ when: condition(`start === ${JSON.stringify(name)}`), to: name })),
  };
  return put({
    id: machineRoot,
    kind: "machine",
    initial: beginning,
    states: { [beginning]: route, ...lowerStates(builder, definition.states) },
  });
}

function lowerStates(builder: Builder, states: MachineDefinition["states"]): Record<string, MachineState> {
  return Object.fromEntries(
    Object.entries(states).map(([name, state]) => [
      name,
      lowerState({ ...builder, shown: shownOf(builder, name, state), handles: handledBy(state) }, name, state),
    ]),
  );
}

function shownOf(builder: Builder, name: string, state: StateDefinition): string {
  if (state.shownAs !== undefined) return state.shownAs;
  return builder.prefix === "" || state.repair !== undefined ? name : builder.shown;
}

const answers = /\b(?:BLOCKED|FAIL|NEEDS_INFO|NEEDS_DECISION)\b/g;

function handledBy({ outcomes, steps }: StateDefinition): string[] {
  return [...new Set([...outcomes, ...steps].flatMap(({ when }) => when?.match(answers) ?? []))];
}

function lowerState(builder: Builder, name: string, state: StateDefinition): MachineState {
  const { put, prefix, shown } = builder;
  const id = `${prefix}${name}`;
  const own = (part: string): string => `${id}.${part}`;
  const blocks = [put(engine(own("enter"), "machine_enter", { state: value(name), shown: value(shown), within: value(prefix) }))];
  for (const [index, step] of state.steps.entries()) blocks.push(lowerStep(builder, own(String(index + 1)), step));
  if (state.inner !== undefined) blocks.push(lowerInner(builder, id, state.inner, new Set(Object.keys(builder.definition.states))));
  if (state.repair !== undefined) blocks.push(lowerRepair(builder, id, state.repair));
  const leaves = state.outcomes.filter(({ to }) => to !== null && leavesTo(builder, to));
  if (leaves.length > 0) blocks.push(leaveBy(builder, own("leave"), state.outcomes));
  const body = put({ id: own("body"), kind: "seq", blocks, label: { kind: "state", text: shown } });
  return {
    body,
    outcomes: state.outcomes
      .filter((outcome) => !leaves.includes(outcome))
      .map(({ when, to }) => ({ ...(when === undefined ? {} : { when: condition(when) }), to })),
  };
}

function leavesTo({ outer, definition, prefix }: Builder, to: string): boolean {
  const beside = definition.states[prefix.slice(0, -1)]?.inner?.states ?? {};
  return prefix !== "" && outer.has(to) && !Object.hasOwn(beside, to);
}

/** Outcomes that lead out of an inner machine are taken at the end of the state's body; the order of all outcomes counts. */
function leaveBy(builder: Builder, id: string, outcomes: readonly OutcomeDefinition[]): BlockId {
  const { put } = builder;
  const target = ({ to }: OutcomeDefinition, index: number): BlockId => {
    const leaves = to !== null && leavesTo(builder, to);
    return put({ id: `${id}.${index}`, ...(leaves ? { kind: "leave", how: "to", state: to } : { kind: "seq", blocks: [] }) });
  };
  const plain = outcomes.findIndex(({ when }) => when === undefined);
  const judged = plain < 0 ? outcomes : outcomes.slice(0, plain);
  const last = outcomes[plain];
  return put({
    id,
    kind: "choose",
    branches: judged.map((outcome, index) => ({ when: condition(outcome.when ?? "true"), then: target(outcome, index) })),
    ...(last === undefined ? {} : { otherwise: target(last, plain) }),
  });
}

function lowerInner(builder: Builder, id: string, inner: NonNullable<StateDefinition["inner"]>, outer: ReadonlySet<string>): BlockId {
  const { put } = builder;
  const within: Builder = { ...builder, prefix: `${id}.`, outer, tasks: inner.each !== undefined };
  const machine = put({ id: `${id}.machine`, kind: "machine", initial: inner.start, states: lowerStates(within, inner.states) });
  if (inner.each === undefined) return machine;
  return put({
    id: `${id}.each`,
    kind: "work",
    list: machineLists.tasks,
    query: { status: "pending", ready: true },
    mode: "each",
    join: "all",
    itemName: "task",
    body:
      inner.ahead === undefined
        ? machine
        : put({ id: `${id}.task`, kind: "seq", blocks: [lowerAhead(within, id, inner.ahead), machine, kept(within, id)] }),
  });
}
