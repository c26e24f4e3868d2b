import { sessionFiles } from "../definition/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import type { MachineMemory } from "./machine-memory.ts";
import type { MachineRun } from "./machine-run.ts";
import { readSessionFile, writeSessionFile } from "./session-folder.ts";

type Texts = MachineMemory["texts"];
type Edits = MachineMemory["edits"];

/** What an effect makes of the memory, beside what it was before. */
interface Step {
  readonly before: MachineMemory;
  readonly memory: MachineMemory;
  /** The session begins with this effect: what is there is taken as it is. */
  readonly begins: boolean;
}

/** Files whose text only Waymark writes and nothing else tells: histories of gates, and the report where no role writes it. */
export function ownTexts({ definition }: MachineRun, { written, roles }: MachineMemory): readonly string[] {
  const histories = Object.values(definition.states).flatMap(({ steps }) =>
    steps.flatMap((step) => (step.step === "gate" ? (step.gate.changes?.history ?? []) : [])),
  );
  const artifact = Object.entries(definition.artifacts).find(([, { path }]) => path === sessionFiles.report)?.[0];
  const others = Object.entries(definition.roles).some(
    ([name, role]) => artifact !== undefined && role.artifacts.includes(artifact) && (roles[name] ?? 0) > 0,
  );
  const report = written[sessionFiles.report] !== undefined && !others ? [sessionFiles.report] : [];
  return [...new Set([...histories, ...report])];
}

/** Those of them that somebody else changed, with what they are now; empty when they are gone. */
export async function editedTexts(context: EngineContext, run: MachineRun, memory: MachineMemory): Promise<Edits> {
  const found: Record<string, string> = {};
  for (const name of ownTexts(run, memory)) {
    const known = memory.texts[name];
    const text = (await readSessionFile(context, run, name))?.text ?? "";
    if (known !== undefined && known !== text) found[name] = text;
  }
  return found;
}

/** Keeps these texts as Waymark has them, writes again what somebody else changed, and tells what that was. */
export async function keepTexts(context: EngineContext, run: MachineRun, step: Step): Promise<Pick<MachineMemory, "texts" | "edits">> {
  const { memory } = step;
  const texts: Record<string, string> = { ...memory.texts };
  const edits: Record<string, string> = { ...memory.edits };
  for (const name of ownTexts(run, memory)) {
    const file = await readSessionFile(context, run, name);
    const text = file?.text ?? "";
    const wanted = takenOver(name, step) ?? wantedText(name, step, text);
    if (wanted === undefined && file === undefined) continue;
    texts[name] = wanted?.text ?? text;
    if (wanted === undefined || wanted.text === text) continue;
    if (!wanted.own) edits[name] = text;
    await writeSessionFile(context, run, name, wanted.text);
  }
  return { texts: sameOr(memory.texts, texts), edits: sameOr(memory.edits, edits) };
}

interface Wanted {
  readonly text: string;
  /** The difference is Waymark's own doing. */
  readonly own: boolean;
}

/** The text a file should have; undefined when nothing is known of it yet. */
function wantedText(name: string, { before, memory, begins }: Step, text: string): Wanted | undefined {
  if (name === sessionFiles.report && before.written[name] !== memory.written[name]) return { text, own: true };
  const known = before.texts[name] ?? (begins ? text : undefined);
  if (known === undefined) return undefined;
  const sentBack =
    memory.tracking?.correction_status === "queued" && memory.tracking.at !== before.tracking?.at ? memory.tracking.at : null;
  const lines = text.trimEnd().split("\n");
  const line = lines.at(-1) ?? "";
  if (name === sessionFiles.report || sentBack === null || !line.includes(JSON.stringify(sentBack))) return { text: known, own: false };
  const whole = `${known === "" || known.endsWith("\n") ? known : `${known}\n`}${line}\n`;
  // An effect that is done again after a crash adds its line again: the first one has another time, and nothing else differs.
  const doubled =
    text.startsWith(known) &&
    text
      .slice(known.length)
      .trim()
      .split("\n")
      .every((each) => withoutTime(each) === withoutTime(line));
  return { text: whole, own: doubled };
}

function withoutTime(line: string): string {
  return line.replace(/"at":"[^"]*"/, "");
}

/** A person wants the change of somebody else: it is the text from now on. */
function takenOver(name: string, { before, memory }: Step): Wanted | undefined {
  const edited = before.edits[name];
  if (edited === undefined || memory.edits[name] !== undefined) return undefined;
  const open = new Set(before.decisions.flatMap(({ decision_id, status }) => (status === "pending" ? [decision_id] : [])));
  const answered = memory.decisions.find(({ decision_id, status }) => open.has(decision_id) && status === "answered");
  return answered?.answer === "take-over" ? { text: edited, own: true } : undefined;
}

/** The journal keeps every value that is another one. */
function sameOr<T extends Texts>(before: T, after: T): T {
  return JSON.stringify(before) === JSON.stringify(after) ? before : after;
}
