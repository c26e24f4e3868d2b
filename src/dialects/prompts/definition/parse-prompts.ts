import { defined, isObject, own, type Diagnostic } from "../../../base/index.ts";
import type { Program } from "../../../program/index.ts";
import {
  child,
  collectInto,
  has,
  importKey,
  isText,
  parseFile,
  readRouting,
  sortDiagnostics,
  textAt,
  textDiagnostics,
  type CallingSet,
  type Complain,
  type LoweredWorkflow,
  type SourceFile,
  type SourceNode,
  type WorkflowInfo,
} from "../../../source/index.ts";
import { checkFiles } from "./check/check-files.ts";
import { checkGraph } from "./check/check-graph.ts";
import { checkPrompts } from "./check/check-prompts.ts";
import { checkPromptsShape } from "./check/check-prompts-shape.ts";
import { allGraphNodes, commandOf, namedScript, nodePlaces, scriptFiles, type GraphFiles } from "./graph/graph-nodes.ts";
import type { Included } from "./graph/inline-includes.ts";
import { inputsOf, lowerPrompts, messageSpec } from "./lower.ts";
import type { PromptsDefinition } from "./prompts-definition.ts";
import { readPrompts } from "./read-prompts.ts";
import { promptFiles, promptOf, promptReferences, stepNodes } from "./references.ts";
import { messageInput, promptsFaults } from "./vocabulary.ts";

export interface PromptsOptions {
  readonly source: WorkflowInfo["source"];
  /** Prompts and scripts that it names; without them a missing one is not reported. */
  readonly files?: GraphFiles;
  /** References to all prompts and scripts there are, for suggestions. */
  readonly known?: readonly string[];
  /** Names of agents beside those that Waymark knows. */
  readonly agents?: readonly string[];
  /** What is known of the workflows that it calls. */
  readonly called?: CallingSet["called"];
  /** The programs of these. */
  readonly programs?: CallingSet["programs"];
}

export interface ParsedPrompts {
  /** Absent when there is at least one error. */
  readonly definition?: PromptsDefinition;
  readonly info: WorkflowInfo;
  /** All problems, in the order of the text. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads and checks a chain. Never throws for what the file holds. */
export function parsePrompts(
  file: SourceFile,
  { source, files, known = [], agents = [], called = {}, programs = {} }: PromptsOptions,
): ParsedPrompts {
  const parsed = parseFile(file);
  const found: Diagnostic[] = textDiagnostics(parsed.problems, promptsFaults);
  const { root } = parsed;
  // Values of a file with syntax errors are a guess, so what else is wrong with them is not worth reporting.
  if (root !== undefined && !parsed.broken) checkAll(root, collectInto(found), { agents, known, programs, ...defined({ files }) });
  const diagnostics = sortDiagnostics(found, file.path);
  const problems = diagnostics.filter(({ severity }) => severity === "error").length;
  const definition =
    root === undefined || problems > 0
      ? undefined
      : readPrompts(root, { files: files ?? noFiles, called, included: (name) => graphOf(own(programs, name)) });
  const info: WorkflowInfo = {
    name: textAt(root, "name") ?? "",
    description: textAt(root, "description") ?? "",
    routing: readRouting(root),
    version: textAt(root, "version") ?? "1.0.0",
    inputs: definition === undefined ? { [messageInput]: messageSpec(undefined) } : inputsOf(definition),
    path: file.path,
    imports: [],
    includes: [...new Set(promptReferences(file).workflows.map((each) => each.name))],
    definition: root !== undefined && isObject(root.value) ? root.value : {},
    source,
    problems,
  };
  return { info, diagnostics, ...defined({ definition }) };
}

const noFiles: GraphFiles = { prompts: {}, scripts: {} };

interface Known {
  readonly agents: readonly string[];
  readonly known: readonly string[];
  readonly programs: CallingSet["programs"];
  readonly files?: GraphFiles;
}

/** What a graph puts in where it is included; undefined of a workflow that is none. */
function graphOf(program: Program | undefined): Included | undefined {
  const part = program?.parts[program.main];
  const definition = part?.dialect === "prompts" ? (part.config["prompts"] as unknown as PromptsDefinition) : undefined;
  return definition?.nodes === undefined ? undefined : definition;
}

function checkIncludes(root: SourceNode, complain: Complain, programs: CallingSet["programs"]): void {
  for (const node of allGraphNodes(root)) {
    const name = child(node, "include");
    const program = isText(name) ? own(programs, name.value) : undefined;
    if (!isText(name) || program === undefined || graphOf(program) !== undefined) continue;
    const message = `\`${name.value}\` cannot be put in here: it is not a graph with \`nodes\`.`;
    complain(name, { code: "PROMPTS_NOT_A_GRAPH", message, fix: `Run it for itself, with \`workflow: ${name.value}\`.` });
  }
}

function checkAll(root: SourceNode, complain: Complain, { agents, known, files, programs }: Known): void {
  checkPromptsShape(root, complain);
  checkPrompts(root, complain, agents);
  if (has(root, "nodes")) checkGraph(root, complain, files ?? noFiles);
  checkIncludes(root, complain, programs);
  if (files !== undefined) checkFiles(root, complain, { files, known });
}

/** Prompts and scripts come in as imports, so that they are pinned with the run. */
export function loadPrompts({
  main,
  imports,
  alone,
  agents = [],
  texts: known = [],
  called,
  programs,
  workspace,
}: CallingSet): LoweredWorkflow {
  const { root } = parseFile(main);
  const found = (ways: readonly string[]): SourceFile | undefined => ways.flatMap((way) => imports[importKey(main.path, way)] ?? [])[0];
  const nodes = allGraphNodes(root);
  const names = [...stepNodes(root).map(promptOf), ...nodes.map(commandOf)].flatMap((node) => node?.value ?? []);
  const scripts = nodes.filter((node) => namedScript(node) !== undefined).map(scriptFiles);
  const files: GraphFiles = {
    prompts: present(names.map((name) => [name, found(promptFiles(name))])),
    scripts: present(scripts.map((ways) => [ways[0] ?? "", inProject(found(ways), workspace)])),
  };
  const { definition, info, diagnostics } = parsePrompts(main, {
    source: main.source,
    known,
    agents,
    called,
    programs,
    ...(alone === true ? {} : { files }),
  });
  const named = { ...info, name: info.name === "" ? main.name : info.name };
  const place = { file: main.path, line: 1, column: 1 };
  return { info: named, diagnostics, ...(definition === undefined ? {} : { program: lowerPrompts(definition, place, nodePlaces(root)) }) };
}

/** A script of the project is run in whichever checkout a part is done, so it is known by its path in the project. */
function inProject(file: SourceFile | undefined, workspace: string | undefined): SourceFile | undefined {
  if (file === undefined || workspace === undefined || !file.path.startsWith(`${workspace}/`)) return file;
  return { ...file, path: file.path.slice(workspace.length + 1) };
}

function present(entries: readonly (readonly [string, SourceFile | undefined])[]): Readonly<Record<string, SourceFile>> {
  return Object.fromEntries(entries.flatMap(([name, file]) => (file === undefined ? [] : [[name, file]])));
}
