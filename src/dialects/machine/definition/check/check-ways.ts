import { own } from "../../../../base/index.ts";
import { child, quoteList, type Complain, type SourceNode } from "../../../../source/index.ts";
import { everyState, targetsOf, type MachineDefinition, type StateDefinition } from "../machine-definition.ts";

/** Every state can be reached, and the end can be reached from every one of them, past a `finish`. */
export function checkWays(definition: MachineDefinition, root: SourceNode, complain: Complain): void {
  const { states, modes } = definition;
  const starts = Object.values(modes).flatMap(({ start, otherwise }) => (otherwise === undefined ? [start] : [start, otherwise]));
  const nodes = child(root, "states");
  checkMachine({ states, starts, nodes, complain }, (name) => waysOut(name, states));
  for (const [name, { inner }] of Object.entries(states))
    if (inner !== undefined)
      checkMachine({ states: inner.states, starts: [inner.start], nodes: child(child(nodes, name), "states"), complain }, (each) =>
        waysOut(each, inner.states),
      );
  for (const [name, state] of Object.entries(states))
    if (state.outcomes.some(({ to }) => to === null) && !state.steps.some(({ step, when }) => step === "finish" && when === undefined))
      complain(child(nodes, name) ?? root, {
        code: "MACHINE_NO_FINISH",
        message: `\`${name}\` leads to the end without asking whether everything is done.`,
        fix: "Add the step `finish: true` to it.",
        at: "key",
      });
  checkRoles(definition, root, complain);
  for (const [name, state] of Object.entries(states)) checkAhead({ name, state, roles: definition.roles }, child(nodes, name), complain);
}

interface Beginning {
  readonly name: string;
  readonly state: StateDefinition;
  readonly roles: MachineDefinition["roles"];
}

/** What is made ahead is the first dispatch of a task as it is without a goal, and what it leaves is work, not an artifact. */
function checkAhead({ name, state: { inner }, roles }: Beginning, node: SourceNode | undefined, complain: Complain): void {
  const role = inner?.ahead?.role ?? "";
  const place = child(child(node, "ahead"), "role");
  if (inner === undefined || place === undefined || !Object.hasOwn(roles, role)) return;
  const steps = Object.values(inner.states).flatMap((state) => state.steps);
  const fits = steps.some((step) => step.step === "dispatch" && step.role === role && step.goal === undefined && step.leaves.length === 0);
  if (!fits)
    complain(place, {
      code: "MACHINE_ROLE_IDLE",
      message: `No state inside \`${name}\` dispatches \`${role}\` without a \`goal\` and without \`leaves\`, so it can begin no task ahead.`,
      fix: "Dispatch it so first, or name the role that works on a task first.",
    });
  if (own(roles, role)?.artifacts.length !== 0)
    complain(place, {
      code: "MACHINE_BAD_VALUE",
      message: `\`${role}\` writes artifacts of the session, which several tasks at once would each write.`,
      fix: "Let another role write them, or remove `ahead`.",
    });
}

interface Machine {
  readonly states: Readonly<Record<string, StateDefinition>>;
  readonly starts: readonly string[];
  readonly nodes: SourceNode | undefined;
  readonly complain: Complain;
}

function checkMachine({ states, starts, nodes, complain }: Machine, ways: (name: string) => (string | null)[]): void {
  // A start that does not exist is complained about already; then nothing could be reached.
  if (starts.length === 0 || starts.some((start) => !Object.hasOwn(states, start))) return;
  const reached = new Set<string | null>(starts);
  for (const name of reached) if (name !== null && Object.hasOwn(states, name)) for (const to of ways(name)) reached.add(to);
  const lost = Object.keys(states).filter((name) => !reached.has(name));
  for (const name of lost) {
    const node = child(nodes, name);
    if (node !== undefined)
      complain(node, {
        code: "MACHINE_UNREACHABLE",
        message: `Nothing leads to \`${name}\`.`,
        fix: "Name it in `next` or `to` of another state, or remove it.",
        at: "key",
      });
  }
  const ending = new Set(Object.keys(states).filter((name) => ways(name).some((to) => to === null || !Object.hasOwn(states, to))));
  for (const name of ending) for (const each of Object.keys(states)) if (ways(each).includes(name)) ending.add(each);
  const stuck = Object.keys(states).filter((name) => reached.has(name) && !ending.has(name));
  const node = stuck[0] === undefined ? undefined : child(nodes, stuck[0]);
  if (node !== undefined)
    complain(node, {
      code: "MACHINE_NO_END",
      message: `From ${quoteList(stuck.slice(0, 8), "and")} the end cannot be reached.`,
      fix: "Let one of them lead on, or to `end`.",
      at: "key",
    });
}

/** Where a state may lead, out of the machine inside it included. */
function waysOut(name: string, states: MachineDefinition["states"]): (string | null)[] {
  const state = states[name];
  if (state === undefined) return [];
  const inner = state.inner?.states ?? {};
  const inside = Object.values(inner).flatMap(targetsOf);
  return [...targetsOf(state), ...inside.filter((to) => to !== null && Object.hasOwn(states, to) && !Object.hasOwn(inner, to))];
}

/** Roles that never work, and artifacts that are read but never written. */
function checkRoles({ roles, states, modes }: MachineDefinition, root: SourceNode, complain: Complain): void {
  const demanded = new Set(Object.values(modes).flatMap((mode) => mode.roles));
  // A task is not a report of its role, which is what a mode demands.
  const inTasks = everyState(states).flatMap(({ steps }) =>
    steps.flatMap((step) => (step.step === "task" ? (step.task.spec.role ?? []) : [])),
  );
  const working = new Set([...everyState(states).flatMap(rolesOf), ...inTasks.filter((name) => !demanded.has(name))]);
  for (const name of Object.keys(roles))
    if (!working.has(name))
      complain(child(child(root, "roles"), name) ?? root, {
        code: "MACHINE_ROLE_IDLE",
        message: `No state gives \`${name}\` anything to do${demanded.has(name) ? ", yet a mode demands it" : ""}.`,
        fix: "Dispatch it in a state, or remove the role.",
        at: "key",
      });
  const written = new Set(Object.values(roles).flatMap(({ artifacts }) => artifacts));
  for (const [name, { reads }] of Object.entries(roles))
    for (const [index, { artifact, optional }] of reads.entries()) {
      const node = child(child(child(child(root, "roles"), name), "reads"), index);
      if (optional || written.has(artifact) || node === undefined || child(child(root, "artifacts"), artifact) === undefined) continue;
      complain(node, {
        code: "MACHINE_NEVER_WRITTEN",
        message: `\`${name}\` needs \`${artifact}\`, which no role writes.`,
        fix: `Add it to the \`writes\` of a role, or make it \`${artifact}?\`.`,
      });
    }
}

function rolesOf(state: StateDefinition): string[] {
  return [
    ...state.steps.flatMap((step) =>
      step.step === "dispatch" ? [step.role] : step.step === "gate" ? (step.gate.changes?.route.map(({ role }) => role) ?? []) : [],
    ),
    ...(state.repair === undefined ? [] : [state.repair.role]),
  ];
}
