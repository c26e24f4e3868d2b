import type { JsonObject } from "../../../../base/index.ts";
import type { Program } from "../../../../program/index.ts";
import type { Explanation } from "../../../../source/index.ts";
import type { MachineDefinition, StateDefinition, StepDefinition } from "../machine-definition.ts";
import { machineEdges, type MachineEdge } from "./machine-edges.ts";

/** The definition a program was made from; undefined when it is of another dialect. */
export function machineOfProgram(program: Program): MachineDefinition | undefined {
  const part = program.parts[program.main];
  return part?.dialect === "machine" ? (part.config["machine"] as unknown as MachineDefinition) : undefined;
}

const longestLabel = 80;

/** A machine that other parts call is not drawn; the one that is the run is. */
export function explainMachine(program: Program): Explanation {
  return {
    text: () => renderMachineText(program),
    mermaid: () => renderMachineMermaid(program),
    data: () => {
      const definition = machineOfProgram(program);
      return definition === undefined ? {} : ({ name: definition.name, edges: machineEdges(definition) } as unknown as JsonObject);
    },
  };
}

/** A Mermaid state diagram with every state and every way between them. */
export function renderMachineMermaid(program: Program): string {
  const definition = machineOfProgram(program);
  if (definition === undefined) return "";
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
  const one = text.replace(/[:;#]/g, " ").replace(/\s+/g, " ").trim();
  return one.length > longestLabel ? `${one.slice(0, longestLabel - 3)}...` : one;
}

/** States in order, with what is done in each and where they lead. */
export function renderMachineText(program: Program): string {
  const definition = machineOfProgram(program);
  if (definition === undefined) return "";
  const { title, description, modes, defaultMode, states } = definition;
  const edges = machineEdges(definition);
  const lines = [`${title}: ${description}`, ""];
  for (const [name, mode] of Object.entries(modes))
    lines.push(`mode ${name}${name === defaultMode ? " (default)" : ""}: begins in ${mode.start}`);
  for (const [name, state] of Object.entries(states)) {
    lines.push("", ...stateLines(name, state, edges));
    for (const [inner, held] of Object.entries(state.inner?.states ?? {}))
      lines.push(...stateLines(`${name}.${inner}`, held, edges).map((line) => `  ${line}`));
  }
  return `${lines.join("\n")}\n`;
}

function stateLines(name: string, state: StateDefinition, edges: readonly MachineEdge[]): string[] {
  const each = state.inner?.each === undefined ? "" : " (for each task)";
  return [
    `${name}${each}: ${state.title}`,
    ...state.steps.map((step) => `  - ${stepLine(step)}${step.when === undefined ? "" : ` if ${step.when}`}`),
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
