import { sealedText, sealIn, type EngineContext, type RunHandle } from "../../../engine/index.ts";
import { questionNamed } from "../../../kernel/index.ts";
import { readEvents } from "../../../state/index.ts";
import { everyState, machineRoot, targetsOf, type GateDefinition, type MachineDefinition } from "../definition/index.ts";
import type { MachineRun, PassedGate } from "./machine-run.ts";
import type { MachineJob } from "./sync-session.ts";

/** A gate with the state it is asked in, and which of its steps it is, counted from 1. */
interface PlacedGate {
  readonly id: string;
  readonly gate: GateDefinition;
  readonly state: string;
  readonly step: number;
  /** It has no condition: the state cannot pass it by. */
  readonly always: boolean;
}

function allGates({ states }: MachineDefinition): readonly PlacedGate[] {
  return Object.entries(states).flatMap(([state, { steps }]) =>
    steps.flatMap((each, index) =>
      each.step === "gate" ? [{ id: each.gate.id, gate: each.gate, state, step: index + 1, always: each.when === undefined }] : [],
    ),
  );
}

export function gateOf(definition: MachineDefinition, id: string): PlacedGate | undefined {
  return allGates(definition).find((each) => each.id === id);
}

/** Gates that no way from the start of a mode to a state leads past, in their order; one asked in that very state is not before it. */
export function gatesBefore(definition: MachineDefinition, mode: string, state: string): readonly PlacedGate[] {
  const { states, modes } = definition;
  const start = modes[mode]?.start ?? "";
  return allGates(definition).filter((gate) => gate.always && gate.state !== state && !isReachable(states, start, state, gate.state));
}

/** The gates of a state, in their order. */
export function gatesOf(definition: MachineDefinition, state: string): readonly string[] {
  return allGates(definition).flatMap((gate) => (gate.state === state ? [gate.id] : []));
}

/** Gates of a state that come before one of its steps, counted from 1, and that it cannot pass by. */
export function gatesAbove(definition: MachineDefinition, state: string, step: number): readonly string[] {
  return allGates(definition).flatMap((gate) => (gate.state === state && gate.always && gate.step < step ? [gate.id] : []));
}

function isReachable(states: MachineDefinition["states"], start: string, to: string, without: string): boolean {
  const open = [start];
  const seen = new Set([without]);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name)) continue;
    if (name === to) return true;
    seen.add(name);
    const state = states[name];
    if (state !== undefined)
      open.push(
        ...everyState({ [name]: state })
          .flatMap(targetsOf)
          .filter((to) => to !== null),
      );
  }
  return false;
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
export function askedAs({ handle, effect }: MachineJob, gate: string): Pick<PassedGate, "decision" | "revision"> {
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
  return seal !== undefined && (await host.isSealed(sealedText(handle.id, decision, revision, answer), seal));
}

/** Why a question has no answer: in the person's words when there are any. */
export async function declinedReason({ context, handle, effect }: MachineJob, gate: string): Promise<string> {
  const held = questionNamed(handle.state, effect.strand, gate);
  const decision = held?.id ?? gate;
  const record = await context.store.findRecord(handle.id, `answer:${decision}:${held?.revision ?? 1}`);
  const events = record === undefined ? [] : await readEvents(context.store, record);
  const closings = events.filter((event) => event.type === "decision_closed");
  const said = (closings.find((event) => event.decision === decision)?.reason ?? "").trim();
  return said === "" ? "no response provided" : said;
}

/** The role that a request for changes concerns, by its words; the last one when they point to none. */
export function correctorOf(gate: GateDefinition | undefined, request: string): string {
  const route = gate?.changes?.route ?? [];
  const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ");
  const said = ` ${plain(request)} `;
  const names = (word: string): boolean => said.includes(` ${plain(word)} `) || said.includes(` ${plain(word)}s `);
  return (route.find((each) => each.words.some(names)) ?? route.at(-1))?.role ?? "";
}
