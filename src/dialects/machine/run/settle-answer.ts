import { isList, isObject, textOf, type JsonObject } from "../../../base/index.ts";
import { declinedMark, type Performed } from "../../../engine/index.ts";
import {
  appendHistory,
  readStatus,
  readTasks,
  sessionFiles,
  type AskDefinition,
  type DecisionRecord,
  type SessionState,
} from "../definition/index.ts";
import { bindsOf } from "./artifacts.ts";
import { pendingRecord, withRecord } from "./engine-files.ts";
import { askedAs, correctorOf, declinedReason, gateOf, isSealed } from "./gates.ts";
import { asObject, keyOf, objectIn, taskOf, textIn, textsOf, type MachineMemory, type MachineRun } from "./machine-run.ts";
import { mentioned, type Posed } from "./pose-question.ts";
import { wantedCommands } from "./run-checks.ts";
import { readSessionFile, sessionFilesOf, writeSessionFile } from "./session-folder.ts";
import { performed, timeOf, type Changes, type MachineJob, type PerformMachine } from "./sync-session.ts";
import { taskChange } from "./task-list.ts";
import { changedBetween } from "./workspace-changes.ts";

interface Answer {
  readonly job: MachineJob;
  readonly posed: Posed;
  readonly text: string;
  /** The person declined, or all tries were used up. */
  readonly declined: boolean;
}

interface Settled extends Changes {
  readonly to?: string;
  readonly stop?: boolean;
  readonly reason?: string;
  /** The question stays open: it is asked again under the same id. */
  readonly open?: true;
  readonly change?: Performed["change"];
}

/** Takes an answer into account, writes the record, and reads it again. */
export const settle: PerformMachine = async (job) => {
  const { context, run, effect } = job;
  const posed = effect.args["posed"] as unknown as Posed;
  const given = effect.args["given"];
  const declined = isObject(given) && given["declined"] === true;
  const text = declined ? "" : textOf(given ?? "").trim();
  if (!(await isGiven(job, posed, text, declined))) {
    const note = "The store had an answer to this that no person gave to Waymark. It was not counted.";
    const names = { settled_gate: "", gate_note: note, answer: null, repair: { ...objectIn(run.raw, "repair"), go: false } };
    const memory = { known_issues: [...run.memory.known_issues, `${posed.id}: ${note}`], decisions: await withoutForged(job, posed, note) };
    return performed(job, { kind: posed.kind, forged: true }, { names, memory });
  }
  const answer: Answer = { job, posed, text, declined };
  const settled = await outcomeOf(answer);
  const reason = declined ? await declinedReason(job, posed.id) : null;
  const record = recordOf(answer, await timeOf(context), settled.open === true, reason);
  const memory: Partial<MachineMemory> = {
    ...(posed.kind === "halt" ? { blocker: null } : {}),
    ...settled.memory,
    decisions: withRecord(run.memory.decisions, record),
  };
  const names = { question: null, ...settled.names };
  const value = { kind: posed.kind, to: settled.to ?? null, stop: settled.stop === true, reason: settled.reason ?? "" };
  return performed(job, value, { ...settled, names, memory }, settled.change);
};

/** A gate is asked again under its own id; other questions get a new one, and the old one is skipped. */
async function withoutForged({ context, run }: MachineJob, { id, kind }: Posed, reason: string): Promise<readonly DecisionRecord[]> {
  const resolved_at = await timeOf(context);
  return run.memory.decisions.map((record) =>
    record.decision_id === id && kind !== "gate" ? { ...record, status: "skipped", resolved_at, resolution_reason: reason } : record,
  );
}

/** A gate whose tries are used up has no answer; it halts the run. Everything else must have been given by a person. */
async function isGiven(job: MachineJob, { kind, id }: Posed, text: string, declined: boolean): Promise<boolean> {
  if (declined && kind === "gate") return true;
  return isSealed(job.context, job.handle, { decision: id, ...askedAs(job, id), answer: declined ? declinedMark : text });
}

function recordOf({ job: { run }, posed: { id, prompt }, text }: Answer, at: string, open: boolean, reason: string | null): DecisionRecord {
  const known = run.memory.decisions.find(({ decision_id }) => decision_id === id);
  const base = known ?? pendingRecord(id, prompt, at, run.state);
  if (open) return { ...base, status: "pending", answer: null, resolved_at: null, resolution_reason: null };
  if (reason === null) return { ...base, status: "answered", answer: text, resolved_at: at, resolution_reason: null };
  return { ...base, status: "cancelled", answer: null, resolved_at: at, resolution_reason: reason };
}

async function outcomeOf(answer: Answer): Promise<Settled> {
  const { job, posed, text, declined } = answer;
  const { memory, raw } = job.run;
  const held = textIn(raw, "settled_gate");
  switch (posed.kind) {
    case "gate":
      return settleGate(answer);
    case "halt":
      if (text === "stop") return { stop: true, reason: `Stopped by a person: ${textIn(posed.about, "detail")}` };
      // A gate without an answer is asked again; other halts leave it as it is.
      return { memory: { blocker: null, ...guided(memory, text) }, names: { settled_gate: held === "missing" ? "" : held } };
    case "question":
      return { memory: { guidance: [...memory.guidance, declined ? "The person left this open: decide and note the assumption." : text] } };
    case "repair":
      return settleRepair(answer);
    case "edited":
      return settleEdited(answer);
    case "commands": {
      const commands = textsOf(posed.about["commands"]);
      return { memory: text === "allow" ? { allowed: [...memory.allowed, ...commands] } : { denied: [...memory.denied, ...commands] } };
    }
    case "manual":
    case "unmet":
      return settleDone(answer);
    default:
      return settleAsk(answer);
  }
}

function guided({ guidance }: MachineMemory, text: string): Pick<MachineMemory, "guidance"> {
  return text.startsWith("guidance:") ? { guidance: [...guidance, text.slice("guidance:".length).trim()] } : { guidance };
}

async function settleGate({ job, posed, text, declined }: Answer): Promise<Settled> {
  const { context, run } = job;
  const { gate } = gateOf(run.definition, posed.id) ?? {};
  if (gate === undefined) return {};
  // A gate that is asked again out of its place says nothing about the one whose turn it is.
  const inPlace = posed.about["void"] !== true;
  const settledAs = (settled_gate: string): JsonObject => (inPlace ? { settled_gate } : {});
  const own = inPlace ? { gate: posed.id } : {};
  if (declined) {
    const detail = `${posed.id} was not answered: ${gate.question}`;
    return { names: { ...settledAs("missing"), correction: { goal: detail, leaves: [] } }, memory: own };
  }
  const files = await sessionFilesOf(context, run);
  const now = await bindsOf({ context, run, files }, gate.binds);
  if (changedBetween(posed.binds ?? {}, now).length > 0) {
    const note = `The answer \`${text}\` was not counted: what it was about has changed since it was shown.`;
    return { open: true, names: { ...settledAs(""), gate_note: note } };
  }
  if (gate.changes !== undefined && text.startsWith(gate.changes.prefix)) return sendBack(job, posed, text);
  const passed = { ...run.memory.passed, [posed.id]: { answer: text, binds: now, ...askedAs(job, posed.id) } };
  const allowed = gate.allowsCommands ? { allowed: [...new Set([...run.memory.allowed, ...wantedCommands("all", undefined, files)])] } : {};
  const into = gate.into === undefined ? {} : { [gate.into]: text };
  return { names: { ...settledAs("pass"), gate_note: "", ...into }, memory: { passed, ...allowed, ...own } };
}

/** Every request for changes is kept in the history before a role is asked to correct. */
async function sendBack(job: MachineJob, posed: Posed, text: string): Promise<Settled> {
  const { context, run } = job;
  const { gate, state = run.state } = gateOf(run.definition, posed.id) ?? {};
  const changes = gate?.changes;
  if (gate === undefined || changes === undefined) return {};
  const at = await timeOf(context);
  if (changes.history !== undefined) {
    const before = (await readSessionFile(context, run, changes.history))?.text ?? "";
    const entry = { at, decision_id: posed.id, answer: text, state_context: state as SessionState };
    const last = before.trimEnd().split("\n").at(-1) ?? "";
    const repeated = last.includes(JSON.stringify(text)) && run.memory.tracking?.correction_status === "queued";
    if (!repeated) await writeSessionFile(context, run, changes.history, appendHistory(before, entry));
  }
  const role = correctorOf(gate, text);
  const leaves = (run.definition.roles[role]?.artifacts ?? []).filter((name) => {
    const path = run.definition.artifacts[name]?.path ?? "";
    return gate.binds.includes(name) && Object.hasOwn(posed.binds ?? {}, path);
  });
  const { [posed.id]: _gone, ...passed } = run.memory.passed;
  const tracking = { gate: posed.id, correction_status: "queued" as const, agent: role, at };
  const memory = { tracking, passed, gate: posed.id };
  if (posed.about["void"] === true)
    return { to: changes.state, memory: { ...memory, guidance: [...run.memory.guidance, text] }, names: { settled_gate: "" } };
  return { names: { settled_gate: `correct:${role}`, correction: { goal: text, leaves }, gate_note: "" }, memory };
}

function settleRepair({ job, posed, text, declined }: Answer): Settled {
  const { run, effect } = job;
  const repair = { ...objectIn(run.raw, "repair"), go: true };
  const loop = textIn(posed.about, "loop");
  const key = keyOf(taskOf(effect.args["task"]));
  if (declined || text === "accept") {
    const commands = shownFailing(run, textsOf(posed.about["evidence"]));
    const failing = commands.length === 0 ? "" : ` These checks fail: ${commands.map((command) => `\`${command}\``).join(", ")}.`;
    const issue = `${loop} of ${key} was accepted as it is: ${textsOf(posed.about["evidence"])[0] ?? ""}${failing}`;
    // Only a person's own answer lets a check fail from now on; and one that was never run has not been seen to fail.
    const seen = declined ? [] : commands.filter((command) => !run.memory.denied.includes(command));
    const accepted = [...new Set([...run.memory.accepted, ...seen])];
    return { names: { repair: { ...repair, accepted: true } }, memory: { known_issues: [...run.memory.known_issues, issue], accepted } };
  }
  const cut = run.definition.modes[run.mode]?.otherwise ?? posed.about["cutScope"];
  if (text === "cut-scope" && typeof cut === "string")
    return { to: cut, memory: { guidance: [...run.memory.guidance, `Cut the scope: ${loop} of ${key} could not be repaired.`] } };
  const memory =
    text === "other-approach"
      ? { guidance: [...run.memory.guidance, "What was tried so far does not work: take a different approach."] }
      : guided(run.memory, text);
  return { names: { repair }, memory };
}

/** The checks that fail, if the question was about them. */
function shownFailing({ raw }: MachineRun, evidence: readonly string[]): readonly string[] {
  const { ok, failed } = objectIn(raw, "checks");
  if (ok !== false || !isList(failed)) return [];
  const commands = failed.map((each) => textIn(asObject(each), "command"));
  return commands.some((command) => evidence.some((line) => line.includes(command))) ? commands : [];
}

function settleEdited({ job, posed, text }: Answer): Settled {
  const { memory } = job.run;
  const file = textIn(posed.about, "file");
  const { [file]: edited = "", ...edits } = memory.edits;
  if (text !== "take-over") return { memory: { edits } };
  if (file === sessionFiles.tasks) {
    const { file: plan } = readTasks(edited);
    if (plan === undefined) return { memory: { edits } };
    return { memory: { edits, plan: { project: plan.project, kept: plan.kept } }, change: taskChange(job.run.tasks, plan) };
  }
  const { status } = file === sessionFiles.status ? readStatus(edited) : {};
  if (status === undefined) return { memory: { edits } };
  return { memory: { edits, assumptions: status.assumptions, known_issues: status.known_issues, kept: status.kept } };
}

function settleDone(answer: Answer): Settled {
  const { job, posed, text } = answer;
  const { memory } = job.run;
  if (text === "stop") return { stop: true, reason: "Stopped by a person before the definition of done held." };
  if (text === "confirmed") return confirmed(memory, textsOf(posed.about["ids"]));
  if (text.startsWith("waive:")) return waive(answer);
  if (text.startsWith("not-met:")) return deny(answer);
  // After a retry, what was not met is looked at again.
  return { memory: { not_met: Object.fromEntries(Object.keys(memory.not_met).map((id) => [id, false])) } };
}

function confirmed({ confirmed: before, not_met: denied, known_issues }: MachineMemory, ids: readonly string[]): Settled {
  const not_met = Object.fromEntries(Object.entries(denied).filter(([id]) => !ids.includes(id)));
  const isSettled = (issue: string): boolean => {
    const about = /^Not met \(([^)]*)\):/.exec(issue)?.[1]?.split(", ");
    return about !== undefined && about.every((id) => ids.includes(id) || before.includes(id));
  };
  return {
    memory: { confirmed: [...new Set([...before, ...ids])], not_met, known_issues: known_issues.filter((each) => !isSettled(each)) },
  };
}

/** A file that is waived is taken over as it was when it was reported; what is waived stays a known issue. */
function waive({ job, posed, text }: Answer): Settled {
  const { memory } = job.run;
  const said = text.slice("waive:".length).trim();
  const names = mentioned(said, textsOf(posed.about["waivable"]));
  if (names.length === 0) return {};
  const changed = objectIn(posed.about, "changed");
  const adopted = { ...memory.adopted };
  for (const path of names.filter((name) => typeof changed[name] === "string")) {
    if (changed[path] === "") delete adopted[path];
    else adopted[path] = textIn(changed, path);
  }
  const waived = names.filter((name) => changed[name] === undefined);
  return {
    memory: {
      adopted,
      waived: [...new Set([...memory.waived, ...waived])],
      not_met: Object.fromEntries(Object.entries(memory.not_met).filter(([id]) => !waived.includes(id))),
      known_issues: [...memory.known_issues, `Waived (${posed.id}): ${said}`],
    },
  };
}

/** Criteria by their exact ids; words that name none are about all that were asked about. */
function deny({ job, posed, text }: Answer): Settled {
  const { memory } = job.run;
  const said = text.slice("not-met:".length).trim();
  const named = mentioned(said, textsOf(posed.about["waivable"]));
  const ids = named.length > 0 ? named : textsOf(posed.about["ids"]);
  return {
    memory: {
      not_met: { ...memory.not_met, ...Object.fromEntries(ids.map((id) => [id, true])) },
      confirmed: memory.confirmed.filter((id) => !ids.includes(id)),
      known_issues: [...memory.known_issues, `Not met (${ids.join(", ")}): ${said}`],
    },
  };
}

function settleAsk({ job, posed, text, declined }: Answer): Settled {
  const ask = posed.about["ask"] as unknown as AskDefinition;
  const answer = declined ? "deferred" : text;
  const into = ask.into === undefined ? {} : { [ask.into]: answer };
  const left = ask.insists && (declined || text === "fix-later" || text === "accept-risk");
  const issue = left ? { known_issues: [...job.run.memory.known_issues, `${answer} (${posed.id}): ${ask.question}`] } : {};
  return { names: { answer, ...into }, memory: issue };
}
