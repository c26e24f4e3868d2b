import {
  child,
  entriesOf,
  has,
  isText,
  listedTexts,
  membersOf,
  quoteList,
  suggest,
  textAt,
  type Complain,
  type SourceNode,
} from "../../../../source/index.ts";
import { answersOf, outputOf, readNeed, type RoleFiles } from "../read/read-machine.ts";
import { endWord } from "../vocabulary.ts";
import { statesOf, stepsOf, type StateNode } from "./state-nodes.ts";

export interface Referring {
  readonly root: SourceNode;
  readonly complain: Complain;
  /** Instructions that were read; absent when they were not looked for. */
  readonly files?: RoleFiles;
}

const codes = {
  state: "MACHINE_UNKNOWN_STATE",
  role: "MACHINE_UNKNOWN_ROLE",
  artifact: "MACHINE_UNKNOWN_ARTIFACT",
  mode: "MACHINE_UNKNOWN_MODE",
};
type Kind = keyof typeof codes;

/** Every name in a definition names something of it. */
export function checkReferences(referring: Referring): void {
  const { root } = referring;
  checkModes(referring);
  for (const [, node] of entriesOf(child(root, "artifacts")))
    for (const mode of listedTexts(node, "not_in")) checkName(referring, "mode", mode, namesIn(root, "modes"));
  for (const [name, node] of entriesOf(child(root, "roles"))) checkRole(referring, name, node);
  for (const state of statesOf(root)) {
    checkTargets(referring, state);
    for (const step of stepsOf(state)) checkStep(referring, step);
    const by = child(child(state.node, "repair"), "by");
    checkName(referring, "role", by, namesIn(root, "roles"));
    checkName(referring, "role", child(child(state.node, "ahead"), "role"), namesIn(root, "roles"));
  }
  checkGateIds(referring);
}

function namesIn(root: SourceNode, key: string): string[] {
  return entriesOf(child(root, key)).map(([name]) => name);
}

/** Complains of a text that is none of the names; anything else is a matter of the shape. */
function checkName({ complain }: Referring, kind: Kind, node: SourceNode | undefined, names: readonly string[]): void {
  if (!isText(node)) return;
  const given = kind === "artifact" ? readNeed(node.value).artifact : node.value;
  if (given === "" || names.includes(given)) return;
  complain(node, {
    code: codes[kind],
    message: `There is no ${kind} \`${given}\`.`,
    fix: suggest(given, names) ?? `Correct the name, or add the ${kind}.`,
  });
}

function checkModes(referring: Referring): void {
  const { root, complain } = referring;
  const states = namesIn(root, "states");
  const modes = entriesOf(child(root, "modes"));
  checkName(referring, "state", child(root, "start"), states);
  for (const [, node] of modes) {
    checkName(referring, "state", child(node, "start"), states);
    checkName(referring, "state", child(node, "otherwise"), states);
    for (const role of listedTexts(node, "roles")) checkName(referring, "role", role, namesIn(root, "roles"));
  }
  const chosen = modes.filter(([, node]) => child(node, "default")?.value === true);
  for (const [name, node] of chosen.slice(1))
    complain(child(node, "default") ?? node, {
      code: "MACHINE_TWO_DEFAULTS",
      message: `\`${name}\` is the default as well as \`${chosen[0]?.[0] ?? ""}\`.`,
      fix: "Let one mode be the default.",
    });
  const start = child(root, "start");
  if ((start === undefined) === (modes.length === 0))
    complain(start ?? root, {
      code: "MACHINE_NO_START",
      message: start === undefined ? "The machine does not say where it begins." : "`start` has no effect beside `modes`.",
      fix: start === undefined ? "Add `start:` with the first state, or `modes:`." : "Remove `start`; each mode has its own.",
      ...(start === undefined ? {} : { at: "key" as const }),
    });
}

function checkRole(referring: Referring, name: string, node: SourceNode): void {
  const { root, complain, files } = referring;
  const artifacts = namesIn(root, "artifacts");
  for (const need of listedTexts(node, "reads")) checkName(referring, "artifact", need, artifacts);
  for (const written of listedTexts(node, "writes"))
    if (/^[\w-]+$/.test(written.value)) checkName(referring, "artifact", written, artifacts);
    else checkPath(written, complain);
  const output = outputOf(name, node);
  const allowed = answersOf(output);
  for (const answer of listedTexts(node, "answers"))
    if (!allowed.includes(answer.value))
      complain(answer, {
        code: "MACHINE_BAD_ANSWER",
        message: `A role whose output is checked as \`${output}\` cannot answer \`${answer.value}\`.`,
        fix: `Use ${quoteList(allowed, "or")}, or give it another \`output\`.`,
      });
  const instructions = child(node, "instructions");
  if (!isText(instructions) || !checkPath(instructions, complain) || files === undefined) return;
  const text = files[instructions.value]?.text;
  if (text === undefined || text.trim() === "")
    complain(instructions, {
      code: "MACHINE_NO_INSTRUCTIONS",
      message: `The instructions of \`${name}\` ${text === undefined ? "do not exist" : "are empty"}: \`${instructions.value}\`.`,
      fix: `Write the file; its path is relative to ${node.file.source.path}.`,
    });
}

/** Whether a path stays where it is relative to; complains when it does not. */
export function checkPath(node: SourceNode, complain: Complain): boolean {
  if (!isText(node) || isInside(node.value)) return true;
  complain(node, {
    code: "MACHINE_BAD_PATH",
    message: `\`${node.value}\` leads out of its folder.`,
    fix: "Use a relative path with `/` and without `..`.",
  });
  return false;
}

export function isInside(path: string): boolean {
  return !/^(?:[/\\~]|[A-Za-z]:)/.test(path) && !path.split(/[/\\]/).includes("..") && !path.includes("\0");
}

/** Inner states may lead to each other and to the states around them. */
function checkTargets(referring: Referring, { node, around }: StateNode): void {
  const outer = namesIn(referring.root, "states");
  const own = [...(around === undefined ? [] : namesIn(around, "states")), ...outer, endWord];
  const repair = child(node, "repair");
  for (const to of [child(node, "next"), child(repair, "accepted"), ...membersOf(child(node, "on")).map((each) => child(each, "to"))])
    checkName(referring, "state", to, own);
  const beside = around === undefined ? outer : namesIn(around, "states");
  checkName(referring, "state", child(repair, "back"), beside);
  checkName(referring, "state", child(repair, "cut_scope"), outer);
  checkName(referring, "state", child(node, "start"), namesIn(node, "states"));
}

function checkStep(referring: Referring, node: SourceNode): void {
  const { root, complain } = referring;
  const artifacts = namesIn(root, "artifacts");
  const roles = namesIn(root, "roles");
  const role = child(node, "dispatch");
  checkName(referring, "role", role, roles);
  if (has(node, "task")) checkName(referring, "role", child(node, "role"), roles);
  for (const key of ["leaves", "shows", "binds"])
    for (const name of listedTexts(node, key)) checkName(referring, "artifact", name, artifacts);
  checkName(referring, "artifact", child(node, "take_tasks"), artifacts);
  if (isText(role) && roles.includes(role.value)) {
    const writes = listedTexts(child(child(root, "roles"), role.value), "writes").map(({ value }) => value);
    for (const name of listedTexts(node, "leaves"))
      if (artifacts.includes(name.value) && !writes.includes(name.value))
        complain(name, {
          code: "MACHINE_NOT_WRITTEN",
          message: `\`${role.value}\` is to leave \`${name.value}\`, which it may not write.`,
          fix: `Add \`${name.value}\` to the \`writes\` of \`${role.value}\`.`,
        });
  }
  const changes = child(node, "changes");
  for (const [name, words] of entriesOf(child(changes, "roles")))
    if (!roles.includes(name))
      complain(words, {
        code: codes.role,
        message: `There is no role \`${name}\`.`,
        fix: suggest(name, roles) ?? "Correct the name, or add the role.",
        at: "key",
      });
  const history = child(changes, "history");
  if (history !== undefined) checkPath(history, complain);
}

/** A gate is known by its id, so there is one of each. */
function checkGateIds({ root, complain }: Referring): void {
  const seen = new Set<string>();
  for (const state of statesOf(root))
    for (const step of stepsOf(state)) {
      const id = textAt(step, "gate");
      if (id === undefined) continue;
      if (seen.has(id))
        complain(child(step, "gate") ?? step, {
          code: "MACHINE_GATE_TWICE",
          message: `The gate \`${id}\` is there twice.`,
          fix: "Give each gate its own id.",
        });
      seen.add(id);
    }
}
