import { defined, isObject, type Diagnostic } from "../../../base/index.ts";
import {
  child,
  collectInto,
  didYouMean,
  has,
  importKey,
  parseFile,
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
import { checkPrompts } from "./check/check-prompts.ts";
import { checkPromptsShape } from "./check/check-prompts-shape.ts";
import { lowerPrompts, messageSpec } from "./lower.ts";
import type { PromptsDefinition } from "./prompts-definition.ts";
import { readPrompts, type PromptTexts } from "./read-prompts.ts";
import { isName, promptFiles, promptOf, promptReferences, stepNodes } from "./references.ts";
import { messageInput, promptsFaults } from "./vocabulary.ts";

export interface PromptsOptions {
  readonly source: WorkflowInfo["source"];
  /** Prompts by the names of their steps; without them a missing one is not reported. */
  readonly texts?: PromptTexts;
  /** Names of all prompts there are, for suggestions. */
  readonly known?: readonly string[];
  /** Names of agents beside those that Waymark knows. */
  readonly agents?: readonly string[];
}

export interface ParsedPrompts {
  /** Absent when there is at least one error. */
  readonly definition?: PromptsDefinition;
  readonly info: WorkflowInfo;
  /** All problems, in the order of the text. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads and checks a chain. Never throws for what the file holds. */
export function parsePrompts(file: SourceFile, { source, texts, known = [], agents = [] }: PromptsOptions): ParsedPrompts {
  const parsed = parseFile(file);
  const found: Diagnostic[] = textDiagnostics(parsed.problems, promptsFaults);
  const { root } = parsed;
  // Values of a file with syntax errors are a guess, so what else is wrong with them is not worth reporting.
  if (root !== undefined && !parsed.broken) checkAll(root, collectInto(found), { agents, prompts: texts && { texts, known } });
  const diagnostics = sortDiagnostics(found, file.path);
  const problems = diagnostics.filter(({ severity }) => severity === "error").length;
  const definition = root === undefined || problems > 0 ? undefined : readPrompts(root, texts ?? {});
  const info: WorkflowInfo = {
    name: textAt(root, "name") ?? "",
    description: textAt(root, "description") ?? "",
    version: textAt(root, "version") ?? "1.0.0",
    inputs: { [messageInput]: messageSpec(definition) },
    path: file.path,
    imports: [],
    includes: [...new Set(promptReferences(file).workflows.map((each) => each.name))],
    definition: root !== undefined && isObject(root.value) ? root.value : {},
    source,
    problems,
  };
  return { info, diagnostics, ...defined({ definition }) };
}

interface Prompts {
  readonly texts: PromptTexts;
  readonly known: readonly string[];
}

function checkAll(
  root: SourceNode,
  complain: Complain,
  { agents, prompts }: { readonly agents: readonly string[]; readonly prompts: Prompts | undefined },
): void {
  const nodes = child(root, "nodes");
  if (nodes !== undefined && !has(root, "steps") && !has(root, "loop")) {
    const message = "This workflow is a graph of `nodes`, which Waymark cannot run yet.";
    complain(nodes, {
      code: "PROMPTS_GRAPH",
      message,
      fix: "Write it as `steps`, or leave it: other workflows are not affected.",
      at: "key",
    });
    return;
  }
  if (nodes !== undefined)
    complain(nodes, {
      code: "PROMPTS_ONE_FORM",
      message: "A workflow has only one of `steps`, `loop` and `nodes`.",
      fix: "Remove `nodes`.",
      at: "key",
    });
  checkPromptsShape(root, complain);
  checkPrompts(root, complain, agents);
  if (prompts !== undefined) checkTexts(root, complain, prompts);
}

/** A prompt that is not there, or says nothing, is found before anything runs. */
function checkTexts(root: SourceNode, complain: Complain, { texts, known }: Prompts): void {
  for (const step of stepNodes(root)) {
    const node = promptOf(step);
    if (node === undefined || !isName(node.value)) continue;
    const prompt = texts[node.value];
    if (prompt === undefined) {
      complain(node, { code: "PROMPTS_NO_PROMPT", message: `Step prompt not found: ${node.value}.md`, fix: missingFix(node.value, known) });
    } else if (prompt.text.trim() === "") {
      complain(node, {
        code: "PROMPTS_EMPTY_PROMPT",
        message: `The prompt ${prompt.path} is empty.`,
        fix: "Write what the agent has to do.",
      });
    }
  }
}

function missingFix(name: string, known: readonly string[]): string {
  if (/\.md$/i.test(name)) return `Write the name without \`.md\`: \`${name.slice(0, -3)}\`.`;
  const near = didYouMean(name, known);
  if (near !== undefined) return near;
  return `Create \`steps/${name}.md\` beside the folder of the workflow, or correct the name.`;
}

/** Prompts come in as imports, so that they are pinned with the run. */
export function loadPrompts({ main, imports, alone, agents = [], texts: known = [] }: CallingSet): LoweredWorkflow {
  const names = stepNodes(parseFile(main).root).flatMap((step) => promptOf(step)?.value ?? []);
  const found = names.flatMap((name) => {
    const file = promptFiles(name).flatMap((reference) => imports[importKey(main.path, reference)] ?? [])[0];
    return file === undefined ? [] : [[name, file] as const];
  });
  const texts = alone === true ? {} : { texts: Object.fromEntries(found) };
  const { definition, info, diagnostics } = parsePrompts(main, { source: main.source, known, agents, ...texts });
  const named = { ...info, name: info.name === "" ? main.name : info.name };
  const place = { file: main.path, line: 1, column: 1 };
  return { info: named, diagnostics, ...(definition === undefined ? {} : { program: lowerPrompts(definition, place) }) };
}
