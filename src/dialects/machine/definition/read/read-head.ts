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
  textAt,
  type SourceNode,
} from "../../../../source/index.ts";
import { artifactForms, type ArtifactDefinition, type DoneDefinition, type ModeDefinition } from "../machine-definition.ts";
import { sessionFiles } from "../formats/session-vocabulary.ts";
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

/** `{ key: value }`, or nothing when there is no value. */
export function given<K extends string, T>(key: K, value: T | undefined): { readonly [k in K]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [k in K]: T });
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
    ...given("mostFiles", numberAt(node, "most_files")),
    ...given("otherwise", textAt(node, "otherwise")),
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
    ...given("form", form),
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
