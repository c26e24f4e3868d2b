import type { Json, JsonObject } from "../../../base/index.ts";
import { descend, entriesOf, formatDocumentPath, quoteList, type Complain, type SourceNode } from "../../../source/index.ts";

/** Parts of a file that imports add to, each a map from name to definition. */
const sectionPaths = {
  inputs: ["inputs"],
  config: ["config"],
  rawDefaults: ["default_state", "raw"],
  stateDefaults: ["default_state", "state"],
  rawFields: ["state_schema", "raw"],
  stateFields: ["state_schema", "state"],
  computed: ["state_schema", "computed"],
  tasks: ["sub_agent_tasks"],
} as const;
type SectionName = keyof typeof sectionPaths;
const sectionNames: readonly SectionName[] = Object.keys(sectionPaths) as SectionName[];

/** Definitions of a workflow by section and name, its imports included; each still knows its file. */
export type Sections = Readonly<Record<SectionName, ReadonlyMap<string, SourceNode>>>;

interface Imported {
  /** The reference under `imports`. */
  readonly node: SourceNode;
  readonly sections: Sections;
  /** A file with steps is a workflow of its own: only its tasks are shared, its state stays with it. */
  readonly tasksOnly: boolean;
}

/** The importing file wins over its imports, with a warning; two imports that define the same name are an error. */
export function mergeSections(root: SourceNode, imports: readonly Imported[], complain: Complain): Sections {
  const merge = (section: SectionName): ReadonlyMap<string, SourceNode> => {
    const own = new Map(entriesOf(descend(root, sectionPaths[section])));
    const all = new Map<string, SourceNode>();
    const shown = (name: string): string => `\`${formatDocumentPath([...sectionPaths[section], name])}\``;
    for (const { node: reference, sections, tasksOnly } of imports) {
      for (const [name, node] of tasksOnly && section !== "tasks" ? [] : sections[section]) {
        const other = all.get(name);
        all.set(name, node);
        if (other === undefined || other.file === node.file || own.has(name)) continue;
        const message = `${shown(name)} is defined by two imports: ${quoteList([other.file.source.path, node.file.source.path], "and")}.`;
        const fix = "Rename one of them, or define it in this file, which then wins.";
        complain(reference, { code: "STEPS_IMPORT_CLASH", message, fix });
      }
    }
    for (const [name, node] of own) {
      const hidden = all.get(name);
      all.set(name, node);
      if (hidden === undefined) continue;
      const message = `${shown(name)} hides the one that is imported from \`${hidden.file.source.path}\`.`;
      complain(node, { code: "STEPS_IMPORT_SHADOWED", severity: "warning", message, fix: "Rename it if both are meant.", at: "key" });
    }
    return all;
  };
  return Object.fromEntries(sectionNames.map((section) => [section, merge(section)])) as Sections;
}

/** The definition as one document, with everything that imports added to it. */
export function mergedDefinition(root: SourceNode, sections: Sections): JsonObject {
  const merged: Record<string, Json> = { ...(root.value as JsonObject) };
  for (const section of sectionNames) {
    if (sections[section].size === 0) continue;
    const path = sectionPaths[section];
    const values = Object.fromEntries([...sections[section]].map(([name, node]) => [name, node.value]));
    const [first, second] = path as readonly [string, string?];
    if (second === undefined) merged[first] = values;
    else merged[first] = { ...((merged[first] ?? {}) as JsonObject), [second]: values };
  }
  return merged;
}
