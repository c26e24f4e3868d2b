import { child, entriesOf, flagAt, has, textAt, type SourceFile, type SourceNode } from "../../../../source/index.ts";
import type { RoleDefinition } from "../machine-definition.ts";
import { statusesOf } from "../formats/role-output.ts";
import { sessionRoles, type SessionRole } from "../formats/session-vocabulary.ts";
import { texts } from "./read-head.ts";

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
