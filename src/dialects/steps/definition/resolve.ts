import { defined, own, type Diagnostic } from "../../../base/index.ts";
import {
  child,
  collectInto,
  has,
  importKey,
  isText,
  listedTexts,
  parseFile,
  suggest,
  textAt,
  textDiagnostics,
  type Complain,
  type ImportNode,
  type ParsedFile,
  type SourceFile,
  type SourceNode,
  type SourceSet,
  type TextNode,
  type FaultCodes,
} from "../../../source/index.ts";
import { allSteps, stepsBelow, checkGeneration } from "./generation.ts";
import { mergeSections, type Sections } from "./sections.ts";
import { hasHole } from "./template.ts";

export interface LoadedFile {
  readonly parsed: ParsedFile;
  readonly root: SourceNode;
  /** Keys that were refused already and need no second complaint. */
  readonly refused: ReadonlySet<string>;
  readonly imports: readonly { readonly node: TextNode; readonly file: LoadedFile }[];
}

/** A workflow with its imports merged in. */
export interface Workflow {
  readonly name: string;
  readonly file: LoadedFile;
  readonly root: SourceNode;
  readonly sections: Sections;
}

export interface Resolved {
  readonly main?: Workflow;
  /** All workflows that can run, by name, the main one first. */
  readonly workflows: ReadonlyMap<string, Workflow>;
  /** Every file that could be read, shared ones too, each once. */
  readonly files: readonly LoadedFile[];
  /** The workflow an `include_workflow` step names. */
  readonly calleeOf: (step: SourceNode) => Workflow | undefined;
}

/** Follows imports and includes through the set. Missing files, circles and clashes become diagnostics. */
export function resolveSet(set: SourceSet, diagnostics: Diagnostic[]): Resolved {
  const resolving: Resolving = {
    set,
    diagnostics,
    complain: collectInto(diagnostics),
    files: new Map(),
    workflows: new Map(),
    sections: new Map(),
  };
  const file = loadFile(resolving, set.main, []);
  const main = file && addWorkflow(resolving, textAt(file.root, "name") ?? set.main.name, file);
  if (main !== undefined) followIncludes(resolving, main, [main.name], new Set());
  const { workflows } = resolving;
  const calleeOf = (step: SourceNode): Workflow | undefined => workflows.get(textAt(step, "workflow") ?? "");
  return { ...defined({ main }), workflows, files: usable(resolving), calleeOf };
}

interface Resolving {
  readonly set: SourceSet;
  readonly diagnostics: Diagnostic[];
  readonly complain: Complain;
  /** By path; undefined for files that cannot be used. */
  readonly files: Map<string, LoadedFile | undefined>;
  readonly workflows: Map<string, Workflow>;
  readonly sections: Map<LoadedFile, Sections>;
}

function usable({ files }: Resolving): LoadedFile[] {
  return [...files.values()].filter((file) => file !== undefined);
}

function loadFile(resolving: Resolving, source: SourceFile, chain: readonly string[]): LoadedFile | undefined {
  if (resolving.files.has(source.path)) return resolving.files.get(source.path);
  const parsed = parseFile(source);
  resolving.diagnostics.push(...textDiagnostics(parsed.problems, stepsFaults));
  const { root } = parsed;
  const generation = root === undefined || parsed.broken ? undefined : checkGeneration(root, resolving.complain);
  if (root === undefined || generation?.usable !== true) {
    resolving.files.set(source.path, undefined);
    return undefined;
  }
  const imports: { node: TextNode; file: LoadedFile }[] = [];
  const loaded: LoadedFile = { parsed: parsed.file, root, refused: generation.refused, imports };
  resolving.files.set(source.path, loaded);
  for (const node of listedTexts(root, "imports")) {
    const file = loadImport(resolving, node, [...chain, source.path]);
    if (file !== undefined) imports.push({ node, file });
  }
  return loaded;
}

function loadImport(resolving: Resolving, node: TextNode, chain: readonly string[]): LoadedFile | undefined {
  const reference = node.value;
  const source = own(resolving.set.imports, importKey(node.file.source.path, reference));
  if (source === undefined) {
    const message = `The import \`${reference}\` was not found beside \`${node.file.source.path}\` nor in the workflows folder.`;
    const fix = "Correct the path; it is relative, uses `/` and stays inside the workflows folder.";
    resolving.complain(node, { code: "STEPS_IMPORT_NOT_FOUND", message, fix });
    return undefined;
  }
  if (chain.includes(source.path)) {
    const circle = [...chain.slice(chain.indexOf(source.path)), source.path].join(" → ");
    const message = `Files import each other in a circle: ${circle}.`;
    resolving.complain(node, { code: "STEPS_IMPORT_CYCLE", message, fix: "Move what they share into a third file." });
    return undefined;
  }
  return loadFile(resolving, source, chain);
}

function sectionsOf(resolving: Resolving, file: LoadedFile): Sections {
  const known = resolving.sections.get(file);
  if (known !== undefined) return known;
  const imported = file.imports.map(({ node, file: other }) => ({
    node,
    sections: sectionsOf(resolving, other),
    tasksOnly: has(other.root, "steps"),
  }));
  const sections = mergeSections(file.root, imported, resolving.complain);
  resolving.sections.set(file, sections);
  return sections;
}

function addWorkflow(resolving: Resolving, name: string, file: LoadedFile): Workflow {
  const workflow: Workflow = { name, file, root: file.root, sections: sectionsOf(resolving, file) };
  resolving.workflows.set(name, workflow);
  return workflow;
}

/** Every step of a workflow, those of imported tasks included. */
export function stepsOf(workflow: Workflow): SourceNode[] {
  const imported = [...workflow.sections.tasks.values()].filter((task) => task.file !== workflow.root.file);
  return [...allSteps(workflow.root), ...imported.flatMap((task) => [...stepsBelow(task), ...stepsBelow(child(task, "error_handling"))])];
}

/** Those of them that include another workflow. */
export function includesOf(workflow: Workflow): SourceNode[] {
  return stepsOf(workflow).filter((step) => textAt(step, "type") === "include_workflow");
}

function followIncludes(resolving: Resolving, workflow: Workflow, chain: readonly string[], done: Set<string>): void {
  for (const step of includesOf(workflow)) {
    const node = child(step, "workflow");
    if (!isText(node) || node.value === "") continue;
    const name = node.value;
    if (hasHole(name)) {
      const message = `The workflow to include must be known when the run starts, but \`${name}\` holds a template.`;
      const fix = "Use a `conditional` with one `include_workflow` for each name.";
      resolving.complain(node, { code: "STEPS_DYNAMIC_WORKFLOW", message, fix });
    } else if (chain.includes(name)) {
      const circle = [...chain.slice(chain.indexOf(name)), name].join(" → ");
      const message = `Workflows include each other in a circle: ${circle}.`;
      resolving.complain(node, { code: "STEPS_INCLUDE_CYCLE", message, fix: "Remove one of these includes." });
    } else {
      const callee = openCallee(resolving, node, name);
      if (callee !== undefined && !done.has(name)) {
        done.add(name);
        followIncludes(resolving, callee, [...chain, name], done);
      }
    }
  }
}

function openCallee(resolving: Resolving, node: SourceNode, name: string): Workflow | undefined {
  const { set } = resolving;
  const importer = usable(resolving).find((file) => file.parsed === node.file);
  const imported = importer === undefined ? new Map<string, LoadedFile>() : importedWorkflows(importer);
  const source = own(set.workflows, name);
  const found = imported.get(name) ?? (source && loadFile(resolving, source, []));
  const known = resolving.workflows.get(name);
  if (known !== undefined && found !== undefined && known.file !== found) {
    const message = `The workflow \`${name}\` is defined by two files: \`${known.file.parsed.source.path}\` and \`${found.parsed.source.path}\`.`;
    resolving.complain(node, { code: "STEPS_WORKFLOW_CLASH", message, fix: "Rename one of them." });
  }
  if (known !== undefined) return known;
  if (found !== undefined) return addWorkflow(resolving, name, found);
  if (source === undefined) {
    const names = [...(set.known ?? Object.keys(set.workflows)), ...imported.keys()];
    const fix = suggest(name, names) ?? "Create the workflow, or import the file that holds it.";
    resolving.complain(node, { code: "STEPS_UNKNOWN_WORKFLOW", message: `There is no workflow \`${name}\` to include.`, fix });
  }
  return undefined;
}

/** Workflows that a file imports, directly or through other files, by their own names. */
function importedWorkflows(file: LoadedFile, seen: Set<LoadedFile> = new Set()): Map<string, LoadedFile> {
  const found = new Map<string, LoadedFile>();
  if (seen.has(file)) return found;
  seen.add(file);
  for (const { file: other } of file.imports) {
    for (const [name, deeper] of importedWorkflows(other, seen)) found.set(name, deeper);
    const name = textAt(other.root, "name");
    if (name !== undefined && has(other.root, "steps")) found.set(name, other);
  }
  return found;
}

/** What a file imported, as a tree. */
export function importTree(file: LoadedFile): ImportNode[] {
  return file.imports.map(({ node, file: other }) => ({
    reference: node.value,
    path: other.parsed.source.path,
    ...defined({ name: textAt(other.root, "name") }),
    imports: importTree(other),
  }));
}

/** What is wrong with the text of a workflow of steps. */
const stepsFaults: FaultCodes = {
  syntax: "STEPS_YAML_SYNTAX",
  unquoted_template: "STEPS_UNQUOTED_TEMPLATE",
  duplicate_key: "STEPS_DUPLICATE_KEY",
  alias: "STEPS_ALIAS",
  several_documents: {
    code: "STEPS_SEVERAL_DOCUMENTS",
    fix: "Put each document into a file of its own, and name shared ones under `imports:` of the main file.",
  },
  not_a_map: { code: "STEPS_NOT_A_MAP", fix: "Begin the file with `name:` and `steps:`." },
  empty_wrapper: { code: "STEPS_NOT_A_MAP", fix: "Indent `name:` and `steps:` below `workflow:`." },
  beside_wrapper: "STEPS_UNKNOWN_KEY",
  not_json: "STEPS_NOT_JSON",
  forbidden_key: "STEPS_FORBIDDEN_KEY",
  too_deep: { code: "STEPS_TOO_DEEP", fix: "Move inner steps into a workflow of their own and use `include_workflow`." },
};
