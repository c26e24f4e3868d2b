import type { MachineDefinition, StateDefinition } from "../machine-definition.ts";
import { endWord, shownOnly } from "../vocabulary.ts";

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
    return { from, to: target.to, kind, ...(when === undefined || state.repair !== undefined ? {} : { when }) };
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

/** A role that cannot continue, or a gate without an answer. */
function canBlock({ steps, repair }: StateDefinition): boolean {
  return repair !== undefined || steps.some(({ step }) => step === "dispatch" || step === "gate");
}
