import { defined, isList, own, shorten, textOf, type Json, type JsonObject } from "../../../base/index.ts";
import type { Program } from "../../../program/index.ts";
import type { Explanation, PlayedRoles } from "../../../source/index.ts";
import type { MachineDefinition, StateDefinition, StepDefinition } from "./machine-definition.ts";
import { asWritten } from "./read/read-states.ts";
import { tellMachine } from "./tell-machine.ts";
import { endWord, shownOnly } from "./vocabulary.ts";

/** The definition that a program of this dialect was made from. */
export function machineOfProgram({ parts, main }: Program): MachineDefinition {
  return parts[main]?.config["machine"] as unknown as MachineDefinition;
}

/** A machine that other parts call is not drawn; the one that is the run is. */
export function explainMachine(program: Program, _inputs: JsonObject = {}, played: PlayedRoles = {}): Explanation {
  const written = machineOfProgram(program);
  const roles = Object.entries(written.roles).map(([name, role]) => [name, { ...role, ...own(played, name) }] as const);
  const definition: MachineDefinition = { ...written, roles: Object.fromEntries(roles) };
  return {
    told: () => tellMachine(definition),
    text: () => machineText(definition),
    mermaid: () => mermaidOf(definition),
    data: () => ({ name: definition.name, edges: machineEdges(definition) as unknown as Json, ...boundRoles(definition) }),
  };
}

const [askUser, blocked] = shownOnly;

/** A way from one state to another. Inner states are called `OUTER.INNER`; `start` and `end` are the run itself. */
export interface MachineEdge {
  readonly from: string;
  readonly to: string;
  /**
   * `start` and `end` of the run or of a machine inside a state; `next`, `on` (with `when`), `leave` out of a machine inside;
   * `back`, `accepted` and `cut_scope` of repairs; `changes` asked for at a gate; `ask` and `block` to and from an open question.
   */
  readonly kind: "start" | "end" | "next" | "on" | "leave" | "back" | "accepted" | "cut_scope" | "changes" | "ask" | "block";
  readonly when?: string;
  readonly mode?: string;
}

/** Every way a machine can take, in the order of the definition. */
export function machineEdges(definition: MachineDefinition): readonly MachineEdge[] {
  const starts = Object.entries(definition.modes).map(([mode, { start }]): MachineEdge => ({
    from: "start",
    to: start,
    kind: "start",
    mode,
  }));
  const states = Object.entries(definition.states).flatMap(([name, state]) => [
    ...edgesOf(definition, name, state),
    ...innerEdges(definition, name, state),
  ]);
  return [...starts, ...states];
}

function innerEdges(definition: MachineDefinition, outer: string, { inner }: StateDefinition): MachineEdge[] {
  if (inner === undefined) return [];
  const within = { outer, names: new Set(Object.keys(inner.states)) };
  return [
    { from: outer, to: `${outer}.${inner.start}`, kind: "start" },
    ...Object.entries(inner.states).flatMap(([name, state]) => edgesOf(definition, name, state, within)),
  ];
}

interface Within {
  readonly outer: string;
  readonly names: ReadonlySet<string>;
}

function edgesOf(definition: MachineDefinition, name: string, state: StateDefinition, within?: Within): MachineEdge[] {
  const from = within === undefined ? name : `${within.outer}.${name}`;
  const place = (to: string | null): { readonly to: string; readonly out: boolean } => {
    if (to === null) return { to: within === undefined ? endWord : `${within.outer}.${endWord}`, out: false };
    return within?.names.has(to) === true ? { to: `${within.outer}.${to}`, out: false } : { to, out: within !== undefined };
  };
  const edges = state.outcomes.map(({ when, to }): MachineEdge => {
    const target = place(to);
    const kind = state.repair !== undefined ? (when === undefined ? "back" : "accepted") : ordinary(to, when, target.out);
    return { from, to: target.to, kind, ...(when === undefined || state.repair !== undefined ? {} : { when: asWritten(when) }) };
  });
  const cut = state.repair?.cutScope;
  return [
    ...edges,
    ...(cut === undefined ? [] : [{ from, to: cut, kind: "cut_scope" as const }]),
    ...(state.steps.some((step) => step.step === "gate" && step.gate.changes !== undefined)
      ? [{ from, to: from, kind: "changes" as const }]
      : []),
    ...(canAsk(definition, state) ? both(from, askUser, "ask") : []),
    ...(canBlock(state) ? both(from, blocked, "block") : []),
  ];
}

function ordinary(to: string | null, when: string | undefined, out: boolean): MachineEdge["kind"] {
  if (to === null) return "end";
  return out ? "leave" : when === undefined ? "next" : "on";
}

function both(from: string, to: string, kind: "ask" | "block"): MachineEdge[] {
  return [
    { from, to, kind },
    { from: to, to: from, kind },
  ];
}

/** Questions of its own, a spent budget, commands that are not allowed yet, what is not done yet, a role that needs to know more. */
function canAsk({ roles }: MachineDefinition, { steps, repair }: StateDefinition): boolean {
  const needsInfo = (role: string): boolean => roles[role]?.answers.includes("NEEDS_INFO") === true;
  return (
    repair !== undefined ||
    steps.some(
      (step) =>
        step.step === "ask" || step.step === "checks" || step.step === "finish" || (step.step === "dispatch" && needsInfo(step.role)),
    )
  );
}

/** A role that cannot continue, a task that fails, or a gate without an answer. */
function canBlock({ steps, repair }: StateDefinition): boolean {
  return repair !== undefined || steps.some(({ step }) => step === "dispatch" || step === "task" || step === "gate");
}

const longestLabel = 80;

/** A Mermaid state diagram with every state and every way between them. */
function mermaidOf(definition: MachineDefinition): string {
  const edges = machineEdges(definition);
  const lines = ["stateDiagram-v2"];
  for (const [name, state] of Object.entries(definition.states)) {
    if (state.inner === undefined) continue;
    lines.push(`  state ${name} {`);
    for (const inner of Object.keys(state.inner.states)) lines.push(`    state "${inner}" as ${idOf(`${name}.${inner}`)}`);
    lines.push(...edges.filter((edge) => isInside(edge, name)).map((edge) => `    ${arrow(edge, name)}`), "  }");
  }
  const inner = Object.entries(definition.states).filter(([, state]) => state.inner !== undefined);
  lines.push(...edges.filter((edge) => !inner.some(([name]) => isInside(edge, name))).map((edge) => `  ${arrow(edge)}`));
  return `${lines.join("\n")}\n`;
}

/** Between states of one machine inside a state, its start and its end included. */
function isInside({ from, to, kind }: MachineEdge, outer: string): boolean {
  const own = (name: string): boolean => name.startsWith(`${outer}.`);
  return own(to) && (own(from) || (kind === "start" && from === outer));
}

function arrow({ from, to, kind, when, mode }: MachineEdge, outer?: string): string {
  const begin = kind === "start" ? "[*]" : idOf(from);
  const end = to === "end" || (outer !== undefined && to === `${outer}.end`) ? "[*]" : idOf(to);
  const label = when ?? mode ?? (words[kind] || "");
  return `${begin} --> ${end}${label === "" ? "" : `: ${plain(label)}`}`;
}

const words: Readonly<Partial<Record<MachineEdge["kind"], string>>> = {
  back: "fixed",
  accepted: "accepted as it is",
  cut_scope: "scope cut",
  changes: "changes requested",
};

/** Dots have a meaning of their own in a diagram. */
function idOf(name: string): string {
  return name.replaceAll(".", "__").replaceAll("-", "_");
}

/** Colons, semicolons and hashes end a label. */
function plain(text: string): string {
  return shorten(text.replace(/[:;#]/g, " ").replace(/\s+/g, " ").trim(), longestLabel);
}

/** States in order, with what is done in each and where they lead. */
function machineText(definition: MachineDefinition): string {
  const { title, description, states } = definition;
  const edges = machineEdges(definition);
  const lines = [`${title}: ${description}`, "", ...modeLines(definition), ...roleLines(definition)];
  for (const [name, state] of Object.entries(states)) {
    lines.push("", ...stateLines(name, state, edges));
    for (const [inner, held] of Object.entries(state.inner?.states ?? {}))
      lines.push(...stateLines(`${name}.${inner}`, held, edges).map((line) => `  ${line}`));
  }
  return `${lines.join("\n")}\n`;
}

/** Each mode with where it begins and the keys of `confirmed` that it takes. */
export function modeLines({ modes, defaultMode }: MachineDefinition): string[] {
  return Object.entries(modes).flatMap(([name, { start, onlyIf }]) => [
    `mode ${name}${name === defaultMode ? " (default)" : ""}: begins in ${start}${Object.keys(onlyIf).length === 0 ? "" : ", if all of this is confirmed"}`,
    ...Object.entries(onlyIf).map(([key, sentence]) => `  ${key}: ${sentence}`),
  ]);
}

/** Roles whose player the definition or a configuration names. */
function roleLines({ roles }: MachineDefinition): string[] {
  return Object.entries(roles).flatMap(([name, { agent, model, permission }]) => {
    const facts = [
      ...(agent === undefined ? [] : [`by ${agent}`]),
      ...(model === undefined ? [] : [`model ${model}`]),
      ...(permission === undefined ? [] : [`permission ${permissionText(permission)}`]),
    ];
    return facts.length === 0 ? [] : [`role ${name}: ${facts.join(", ")}`];
  });
}

function boundRoles({ roles }: MachineDefinition): { readonly roles?: JsonObject } {
  const bound = Object.entries(roles).flatMap(([name, { agent, model, permission }]) => {
    const binding = defined({ agent, model, permission });
    return Object.keys(binding).length === 0 ? [] : [[name, binding] as const];
  });
  return bound.length === 0 ? {} : { roles: Object.fromEntries(bound) };
}

function permissionText({ level, commands }: JsonObject): string {
  return [level, ...(isList(commands) ? commands : [])].map((part) => textOf(part ?? "")).join(", ");
}

function stateLines(name: string, state: StateDefinition, edges: readonly MachineEdge[]): string[] {
  const each = state.inner?.each === undefined ? "" : " (for each task)";
  return [
    `${name}${each}${state.title === name.split(".").at(-1) ? "" : `: ${state.title}`}`,
    ...(state.inner?.ahead === undefined
      ? []
      : [`  - ${state.inner.ahead.role} begins tasks whose files do not meet at the same time, at most ${state.inner.ahead.most}`]),
    ...state.steps.map((step) => `  - ${stepLine(step)}${step.when === undefined ? "" : ` if ${asWritten(step.when)}`}`),
    ...(state.repair === undefined ? [] : [`  - ${state.repair.role} repairs, at most ${state.repair.tries} times`]),
    ...edges
      .filter(({ from, kind }) => from === name && kind !== "start" && kind !== "ask" && kind !== "block")
      .map(
        ({ to, kind, when }) => `  -> ${to}${when === undefined ? (words[kind] === undefined ? "" : ` (${words[kind]})`) : ` if ${when}`}`,
      ),
  ];
}

function stepLine(step: StepDefinition): string {
  switch (step.step) {
    case "dispatch":
      return `${step.role} works${step.leaves.length === 0 ? "" : `, leaves ${step.leaves.join(", ")}`}`;
    case "task": {
      const { artifacts = [], doneWhen } = step.task.spec;
      const leaves = artifacts.length === 0 ? "" : `, leaves ${artifacts.join(", ")}`;
      return `an agent does ${step.task.name}${leaves}${doneWhen === undefined ? "" : `, done when \`${doneWhen}\` succeeds`}`;
    }
    case "gate":
      return `a person answers ${step.gate.id}`;
    case "ask":
      return `a person is asked: ${step.ask.options.map(({ value }) => value).join(", ")}`;
    case "checks":
      return `the checks of ${step.of === "task" ? "the task" : "everything"} are run`;
    case "take_tasks":
      return `the tasks of ${step.from} are taken over`;
    case "promote":
      return `${step.of === "task" ? "the task is" : "all tasks are"} ${step.to}`;
    case "workflow":
      return `the workflow ${step.workflow} runs`;
    case "report":
      return "the report is written";
    case "finish":
      return "the definition of done is checked";
  }
}
