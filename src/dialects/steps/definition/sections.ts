import type { Json, JsonObject } from "../../../base/index.ts";
import { descend, entriesOf, formatDocumentPath, quoteList, type Complain, type SourceNode } from "../../../source/index.ts";

/** Parts of a file that imports add to, each a map from name to definition. */
export const sectionPaths = {
  inputs: ["inputs"],
  config: ["config"],
  rawDefaults: ["default_state", "raw"],
  stateDefaults: ["default_state", "state"],
  rawFields: ["state_schema", "raw"],
  stateFields: ["state_schema", "state"],
  computed: ["state_schema", "computed"],
  tasks: ["sub_agent_tasks"],
} as const;
export type SectionName = keyof typeof sectionPaths;
export const sectionNames: readonly SectionName[] = Object.keys(sectionPaths) as SectionName[];

/** Definitions of a workflow by section and name, its imports included; each still knows its file. */
export type Sections = Readonly<Record<SectionName, ReadonlyMap<string, SourceNode>>>;

export interface Imported {
  /** The reference under `imports`. */
  readonly node: SourceNode;
  readonly sections: Sections;
  /** A file with steps is a workflow of its own: only its tasks are shared, its state stays with it. */
  readonly tasksOnly: boolean;
}

/** The importing file wins over its imports, with a warning; two imports that define the same name are an error. */
export function mergeSections(root: SourceNode, imports: readonly Imported[], complain: Complain): Sections {
  const merged = {} as Record<SectionName, Map<string, SourceNode>>;
  for (const section of sectionNames) {
    const own = new Map(entriesOf(descend(root, sectionPaths[section])));
    const all = new Map<string, SourceNode>();
    const merging: Merging = { section, own, all, complain };
    for (const each of imports) if (!each.tasksOnly || section === "tasks") addImported(merging, each);
    for (const [name, node] of own) {
      complainOfShadow(merging, name, node);
      all.set(name, node);
    }
    merged[section] = all;
  }
  return merged;
}

interface Merging {
  readonly section: SectionName;
  readonly own: ReadonlyMap<string, SourceNode>;
  readonly all: Map<string, SourceNode>;
  readonly complain: Complain;
}

function addImported({ section, own, all, complain }: Merging, { node: reference, sections }: Imported): void {
  for (const [name, node] of sections[section]) {
    const other = all.get(name);
    if (other !== undefined && other.file !== node.file && !own.has(name)) {
      const files = quoteList([other.file.source.path, node.file.source.path], "and");
      complain(reference, {
        code: "STEPS_IMPORT_CLASH",
        message: `\`${formatDocumentPath([...sectionPaths[section], name])}\` is defined by two imports: ${files}.`,
        fix: "Rename one of them, or define it in this file, which then wins.",
      });
    }
    all.set(name, node);
  }
}

function complainOfShadow({ section, all, complain }: Merging, name: string, node: SourceNode): void {
  const hidden = all.get(name);
  if (hidden === undefined) return;
  complain(node, {
    code: "STEPS_IMPORT_SHADOWED",
    severity: "warning",
    message: `\`${formatDocumentPath([...sectionPaths[section], name])}\` hides the one that is imported from \`${hidden.file.source.path}\`.`,
    fix: "Rename it if both are meant.",
    at: "key",
  });
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
