import { defined } from "../../../../base/index.ts";
import type { InputSpec } from "../../../../program/index.ts";
import {
  child,
  entriesOf,
  flagAt,
  has,
  listedTexts,
  membersOf,
  numberAt,
  readInput,
  readPermission,
  textAt,
  type SourceFile,
  type SourceNode,
} from "../../../../source/index.ts";
import { statusesOf } from "../formats/role-output.ts";
import { sessionFiles, sessionRoles, type SessionRole } from "../formats/session-vocabulary.ts";
import {
  artifactForms,
  type ArtifactDefinition,
  type DoneDefinition,
  type ModeDefinition,
  type RoleDefinition,
} from "../machine-definition.ts";
import { machineDefaults } from "../vocabulary.ts";

/** Inputs as they are declared; malformed ones are left out. */
export function readInputs(root: SourceNode): Record<string, InputSpec> {
  return Object.fromEntries(
    entriesOf(child(root, "inputs")).flatMap(([name, node]) => {
      const spec = readInput(node);
      return spec === undefined ? [] : [[name, spec]];
    }),
  );
}

/** `start` alone is a machine with one mode. */
export function readModes(root: SourceNode): { readonly modes: Record<string, ModeDefinition>; readonly defaultMode: string } {
  const listed = entriesOf(child(root, "modes"));
  if (listed.length === 0)
    return {
      modes: { [machineDefaults.mode]: { start: textAt(root, "start") ?? "", roles: [], onlyIf: {} } },
      defaultMode: machineDefaults.mode,
    };
  const chosen = listed.find(([, node]) => flagAt(node, "default") === true) ?? listed[0];
  return { modes: Object.fromEntries(listed.map(([name, node]) => [name, readMode(node)])), defaultMode: chosen?.[0] ?? "" };
}

function readMode(node: SourceNode): ModeDefinition {
  return {
    start: textAt(node, "start") ?? "",
    roles: texts(node, "roles"),
    onlyIf: textMap(child(node, "only_if")),
    ...defined({ mostFiles: numberAt(node, "most_files"), otherwise: textAt(node, "otherwise") }),
  };
}

export function readArtifacts(root: SourceNode): Record<string, ArtifactDefinition> {
  return Object.fromEntries(entriesOf(child(root, "artifacts")).map(([name, node]) => [name, readArtifact(node)]));
}

function readArtifact(node: SourceNode): ArtifactDefinition {
  const form = artifactForms.find((each) => each === textAt(node, "form"));
  const written = typeof node.value === "string" ? node.value : textAt(node, "path");
  return {
    path: written ?? (form === undefined ? "" : sessionFiles[form]),
    ...defined({ form }),
    sections: texts(node, "sections"),
    notIn: texts(node, "not_in"),
  };
}

export function readDone(root: SourceNode): DoneDefinition {
  const node = child(root, "done");
  const flag = (key: string): boolean => flagAt(node, key) ?? false;
  return {
    tasks: flag("tasks"),
    criteria: flag("criteria"),
    report: flag("report"),
    checks: flag("checks"),
    rules: membersOf(child(node, "rules")).map((rule) => ({ when: textAt(rule, "when") ?? "", message: textAt(rule, "message") ?? "" })),
  };
}

export function texts(node: SourceNode | undefined, key: string): string[] {
  return listedTexts(node, key).map(({ value }) => value);
}

/** A list of texts, or the default when the key is absent. */
export function textsOr(node: SourceNode, key: string, preset: readonly string[]): readonly string[] {
  return has(node, key) ? texts(node, key) : [...preset];
}

/** Entries of a map that are texts. */
export function textMap(node: SourceNode | undefined): Record<string, string> {
  return Object.fromEntries(entriesOf(node).flatMap(([key, { value }]) => (typeof value === "string" ? [[key, value]] : [])));
}

/** Files with instructions, by the reference as it is written. */
export type RoleFiles = Readonly<Record<string, SourceFile>>;

export function readRoles(root: SourceNode, files: RoleFiles): Record<string, RoleDefinition> {
  const artifacts = new Set(entriesOf(child(root, "artifacts")).map(([name]) => name));
  return Object.fromEntries(entriesOf(child(root, "roles")).map(([name, node]) => [name, readRole(name, node, { artifacts, files })]));
}

interface Ground {
  readonly artifacts: ReadonlySet<string>;
  readonly files: RoleFiles;
}

function readRole(name: string, node: SourceNode, { artifacts, files }: Ground): RoleDefinition {
  const reference = textAt(node, "instructions") ?? "";
  const file = files[reference];
  const writes = texts(node, "writes");
  const output = outputOf(name, node);
  return {
    title: textAt(node, "title") ?? name,
    instructions: file?.path ?? reference,
    text: file?.text ?? "",
    reads: texts(node, "reads").map(readNeed),
    artifacts: writes.filter((each) => artifacts.has(each)),
    files: writes.filter((each) => !artifacts.has(each)),
    answers: has(node, "answers") ? texts(node, "answers") : [...answersOf(output)],
    output,
    seesChanges: flagAt(node, "sees_changes") ?? output === "Reviewer",
    ...defined({ agent: textAt(node, "agent"), model: textAt(node, "model"), permission: readPermission(child(node, "permission")) }),
  };
}

/** A role whose name is known is checked as what it is called. */
export function outputOf(name: string, node: SourceNode): string {
  return textAt(node, "output") ?? (sessionRoles.some((role) => role === name) ? name : "plain");
}

/** What reports of a kind may say. */
export function answersOf(output: string): readonly string[] {
  const role: SessionRole | undefined = sessionRoles.find((each) => each === output);
  return role === undefined ? ["OK", "BLOCKED", "FAIL"] : statusesOf(role);
}

/** `design?` is given when it exists. */
export function readNeed(written: string): { readonly artifact: string; readonly optional: boolean } {
  return written.endsWith("?") ? { artifact: written.slice(0, -1), optional: true } : { artifact: written, optional: false };
}
