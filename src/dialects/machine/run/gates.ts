import { decodeJournal, sealedText, sealIn, type EngineContext, type RunHandle } from "../../../engine/index.ts";
import { questionNamed, type Event } from "../../../kernel/index.ts";
import { machineRoot, type MachineDefinition } from "../definition/index.ts";
import type { MachineRun, PassedGate } from "./machine-run.ts";
import type { MachineJob } from "./sync-session.ts";

type StateDefinition = MachineDefinition["states"][string];

/** A gate with the state it is asked in. */
interface PlacedGate {
  readonly id: string;
  readonly state: string;
}

/** Gates that no way from the start of a mode to a state leads past, in their order; one asked in that very state is not before it. */
export function gatesBefore({ states, modes }: MachineDefinition, mode: string, state: string): readonly PlacedGate[] {
  const start = modes[mode]?.start ?? "";
  const gates = Object.entries(states).flatMap(([name, { steps }]) =>
    steps.flatMap((step) => (step.step === "gate" && step.when === undefined ? [{ id: step.gate.id, state: name }] : [])),
  );
  return gates.filter((gate) => gate.state !== state && !isReachable(states, start, { to: state, without: gate.state }));
}

/** The gates of a state, in their order. */
export function gatesOf({ states }: MachineDefinition, state: string): readonly string[] {
  return (states[state]?.steps ?? []).flatMap((step) => (step.step === "gate" ? [step.gate.id] : []));
}

/** Gates of a state that come before one of its steps, counted from 1, and that it cannot pass by. */
export function gatesAbove({ states }: MachineDefinition, state: string, step: number): readonly string[] {
  const above = (states[state]?.steps ?? []).slice(0, Math.max(0, step - 1));
  return above.flatMap((each) => (each.step === "gate" && each.when === undefined ? [each.gate.id] : []));
}

function isReachable(
  states: MachineDefinition["states"],
  start: string,
  { to, without }: { readonly to: string; readonly without: string },
): boolean {
  const open = [start];
  const seen = new Set([without]);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name)) continue;
    if (name === to) return true;
    seen.add(name);
    const state = states[name];
    if (state !== undefined) open.push(...targetsOf(state));
  }
  return false;
}

/** Where a state, or a state of the machine inside it, may lead. */
function targetsOf({ outcomes, repair, inner }: StateDefinition): string[] {
  return [
    ...outcomes.flatMap(({ to }) => to ?? []),
    ...(repair === undefined ? [] : [repair.back, repair.accepted, ...(repair.cutScope === undefined ? [] : [repair.cutScope])]),
    ...(inner === undefined ? [] : Object.values(inner.states).flatMap(targetsOf)),
  ];
}

/** The outermost state that a block belongs to, and which of its steps; one of a machine inside the state comes after all of them. In a program that calls the machine its blocks carry a prefix, and its root the same one. */
export function stateAround(
  { program, state: { scopes } }: Pick<RunHandle, "program" | "state">,
  { scope }: Pick<MachineRun, "scope">,
  block: string,
): { readonly state: string; readonly step: number } {
  const root = program.parts[scopes[scope]?.part ?? program.main]?.root ?? "";
  const [name = "", part = ""] = block.slice(root.length - machineRoot.length).split(".");
  return { state: name, step: /^\d+$/.test(part) ? Number(part) : Number.POSITIVE_INFINITY };
}

/** The revision that was asked last in this strand, and its id where that is not the gate's own. */
export function askedAs(
  { handle, effect }: Pick<MachineJob, "handle" | "effect">,
  gate: string,
): Pick<PassedGate, "decision" | "revision"> {
  const { id = gate, revision = 1 } = questionNamed(handle.state, effect.strand, gate) ?? {};
  return id === gate ? { revision } : { decision: id, revision };
}

interface GivenAnswer {
  readonly decision: string;
  readonly answer: string;
  readonly revision: number;
}

/** Whether this answer to a question was given to Waymark by a person, and reads as it did then. */
export async function isSealed({ store, host }: EngineContext, handle: RunHandle, given: GivenAnswer): Promise<boolean> {
  const { decision, answer, revision } = given;
  const record = await store.findRecord(handle.id, `answer:${decision}:${revision}`);
  const seal = record?.facts === undefined ? undefined : sealIn(record.facts);
  return seal !== undefined && seal === (await host.seal(sealedText(handle.id, decision, revision, answer)));
}

/** Why a question has no answer: in the person's words when there are any. */
export async function declinedReason(
  { context, handle, effect }: Pick<MachineJob, "context" | "handle" | "effect">,
  gate: string,
): Promise<string> {
  const held = questionNamed(handle.state, effect.strand, gate);
  const decision = held?.id ?? gate;
  if (held?.attempts !== undefined && (held.attemptsLeft ?? 0) <= 0) return "no valid answer was given";
  const record = await context.store.findRecord(handle.id, `answer:${decision}:${held?.revision ?? 1}`);
  const events = record === undefined ? [] : await decodeJournal<readonly Event[]>(context.store, record.events);
  const closed = events.find((event) => event.type === "decision_closed" && event.decision === decision);
  const said = closed?.type === "decision_closed" ? (closed.reason ?? "").trim() : "";
  return said === "" ? "no response provided" : said;
}

export function differs(before: Readonly<Record<string, string>>, now: Readonly<Record<string, string>>): boolean {
  const paths = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...paths].some((path) => before[path] !== now[path]);
}

/** The state a gate belongs to. */
export function gateState(definition: MachineDefinition, id: string): string | undefined {
  return Object.entries(definition.states).find(([, { steps }]) => steps.some((step) => step.step === "gate" && step.gate.id === id))?.[0];
}

export function gateOf(definition: MachineDefinition, id: string): GateStep | undefined {
  for (const state of Object.values(definition.states))
    for (const step of state.steps) if (step.step === "gate" && step.gate.id === id) return step.gate;
  return undefined;
}

type GateStep = Extract<MachineDefinition["states"][string]["steps"][number], { readonly step: "gate" }>["gate"];

/** The role that a request for changes concerns, by its words; the last one when they point to none. */
export function correctorOf(gate: GateStep | undefined, request: string): string {
  const route = gate?.changes?.route ?? [];
  const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ");
  const said = ` ${plain(request)} `;
  const names = (word: string): boolean => said.includes(` ${plain(word)} `) || said.includes(` ${plain(word)}s `);
  return (route.find((each) => each.words.some(names)) ?? route.at(-1))?.role ?? "";
}
