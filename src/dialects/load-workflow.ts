import type { Diagnostic } from "../base/index.ts";
import { childBlocks, type Program } from "../program/index.ts";
import { lowerBot } from "./bots/lower.ts";
import { parseBot } from "./bots/parse-bot.ts";
import { recogniseBot } from "./bots/recognise-bot.ts";
import type { ChecklistDefinition } from "./checklist/definition.ts";
import { lowerChecklist } from "./checklist/lower.ts";
import { parseChecklist, type ChecklistInfo } from "./checklist/parse-checklist.ts";
import { recogniseChecklist } from "./checklist/recognise-checklist.ts";
import { subWorkflowsOf } from "./checklist/sub-workflows-of.ts";
import { lowerMachine } from "./machine/lower.ts";
import { instructionsOf, parseMachine } from "./machine/parse-machine.ts";
import { recogniseMachine } from "./machine/recognise-machine.ts";
import { mergeProgram, withoutPart } from "./merge-programs.ts";
import type { ExpressionChecker } from "./steps/expression-checker.ts";
import { loadSteps, type LoadedSteps, type WorkflowInfo } from "./steps/load-steps.ts";
import { callsOf, importsOf } from "./steps/references.ts";
import { importKey, type FolderFile, type StepsSet } from "./steps/resolve.ts";
import type { SourceFile } from "./steps/source-node.ts";

export type Dialect = "steps" | "checklist" | "bots" | "machine";

/** Whose file this is; what is nobody's is judged as steps, which say what they miss. */
export function dialectOf(file: SourceFile): Dialect {
  if (recogniseBot(file.path) !== undefined) return "bots";
  if (recogniseMachine(file)) return "machine";
  return recogniseChecklist(file) ? "checklist" : "steps";
}

/** Names of other workflows that the file calls, whatever its dialect. */
export function workflowsCalledBy(file: FolderFile): readonly string[] {
  if (isInstructions(file)) return [];
  switch (dialectOf(file)) {
    case "bots":
      return botCalls(parseBot(botFiles(file, "project")).definition);
    case "checklist":
      return subWorkflowsOf(file);
    case "machine":
      return [];
    case "steps":
      return callsOf(file);
  }
}

/** Files that the file names: imports of steps, instructions of a machine's roles. */
export function filesImportedBy(file: SourceFile): readonly string[] {
  if (isInstructions(file)) return [];
  switch (dialectOf(file)) {
    case "machine":
      return instructionsOf(file);
    case "steps":
      return importsOf(file);
    case "bots":
    case "checklist":
      return [];
  }
}

/** Texts for people and agents are part of a workflow, but name nothing themselves. */
function isInstructions({ path }: SourceFile): boolean {
  return /\.(?:md|txt)$/i.test(path);
}

/** Parses, checks and lowers a workflow of any dialect, with everything it calls. Never throws for what files hold. */
export function loadWorkflow(set: StepsSet, checker?: ExpressionChecker): LoadedSteps {
  switch (dialectOf(set.main)) {
    case "bots":
      return loadBot(set, checker);
    case "checklist":
      return loadChecklist(set);
    case "machine":
      return loadMachine(set, checker);
    case "steps":
      return loadMixed(set, checker);
  }
}

/** Instructions of roles come in as imports, so that they are pinned with the run. */
function loadMachine({ main, imports }: StepsSet, checker?: ExpressionChecker): LoadedSteps {
  const own = importKey(main.path, "");
  const files = Object.fromEntries(
    Object.entries(imports).flatMap(([key, file]) => (key.startsWith(own) ? [[key.slice(own.length), file]] : [])),
  );
  const { definition, info, diagnostics } = parseMachine(main, {
    source: main.source,
    files,
    ...(checker === undefined ? {} : { checker }),
  });
  const place = { file: main.path, line: 1, column: 1 };
  const named = { ...info, name: info.name === "" ? main.name : info.name };
  return { info: named, diagnostics, ...(definition === undefined ? {} : { program: lowerMachine(definition, place) }) };
}

/** Steps may call workflows of other dialects: a stand-in takes their place until the real program is put in. */
function loadMixed(set: StepsSet, checker?: ExpressionChecker): LoadedSteps {
  const foreign = Object.entries(set.workflows).filter(([, file]) => dialectOf(file) !== "steps");
  if (foreign.length === 0) return loadSteps(set, checker);
  const loaded = foreign.map(([name, file]) => ({
    name,
    file,
    ...loadWorkflow({ ...set, main: { ...file, name, source: set.main.source } }, checker),
  }));
  const stands = Object.fromEntries(loaded.map(({ name, file, info }) => [name, standIn(name, file.path, info)]));
  const own = loadSteps({ ...set, workflows: { ...set.workflows, ...stands } }, checker);
  const diagnostics = [...own.diagnostics, ...loaded.flatMap((each) => each.diagnostics)];
  if (own.program === undefined || loaded.some((each) => each.program === undefined)) return { info: own.info, diagnostics };
  let program = own.program;
  for (const { name, program: other } of loaded) {
    if (other === undefined) continue;
    program = mergeProgram(withoutPart(program, name, childBlocks), other, `${name}/`);
  }
  return { info: own.info, diagnostics, program };
}

function standIn(name: string, path: string, { description, inputs }: WorkflowInfo): SourceFile {
  const declared = Object.fromEntries(
    Object.entries(inputs).map(([key, { type, description: about = key, default: preset, required }]) => [
      key,
      { type: type === "any" ? "object" : type, description: about, required, ...(preset === undefined ? {} : { default: preset }) },
    ]),
  );
  const steps = [{ id: "stand_in", type: "user_message", message: "-" }];
  return {
    path,
    text: JSON.stringify({ name, description: description === "" ? name : description, version: "1.0.0", inputs: declared, steps }),
  };
}

function botFiles(file: FolderFile, source: WorkflowInfo["source"]): Parameters<typeof parseBot>[0] {
  const root = file.path.replace(/\/(?:config\/)?bot_config\.json$/, "");
  return { root, files: file.files ?? [{ path: file.path.slice(root.length + 1), text: file.text }], source };
}

function botCalls(definition: ReturnType<typeof parseBot>["definition"]): string[] {
  return [...new Set((definition?.behaviours ?? []).flatMap((behaviour) => behaviour.actions.flatMap((action) => action.calls ?? [])))];
}

function loadBot(set: StepsSet, checker?: ExpressionChecker): LoadedSteps {
  const { definition, info, diagnostics } = parseBot(botFiles(set.main, set.main.source));
  const found: Diagnostic[] = [...diagnostics];
  if (definition === undefined) return { info, diagnostics: found };
  const place = { file: set.main.path, line: 1, column: 1 };
  let program: Program | undefined = lowerBot(definition, place);
  for (const name of botCalls(definition)) {
    const file = set.workflows[name];
    if (file === undefined) {
      // A single file is described without the others; only the whole set tells what is missing.
      if (Object.keys(set.workflows).length > 0) found.push(unknownCall("BOTS_UNKNOWN_WORKFLOW", set.main.path, name));
      program = undefined;
      continue;
    }
    const called = loadWorkflow({ ...set, main: { ...file, name, source: set.main.source } }, checker);
    found.push(...called.diagnostics);
    program = program === undefined || called.program === undefined ? undefined : mergeProgram(program, called.program, `${name}/`);
  }
  const wrong = found.some((each) => each.severity === "error");
  return {
    info: { ...info, inputs: lowerBot(definition, place).parts[definition.name]?.inputs ?? {} },
    diagnostics: found,
    ...(program === undefined || wrong ? {} : { program }),
  };
}

function loadChecklist(set: StepsSet): LoadedSteps {
  const parsed = parseChecklist(set.main, { source: set.main.source });
  const found: Diagnostic[] = [...parsed.diagnostics];
  const called: Record<string, ChecklistDefinition> = {};
  for (const [name, file] of Object.entries(set.workflows)) {
    const other = parseChecklist(file, { source: set.main.source });
    if (other.definition !== undefined && dialectOf(file) === "checklist") called[name] = other.definition;
    else
      found.push({
        code: "CHECKLIST_BAD_CALL",
        severity: "error",
        message: `\`${name}\` in ${file.path} cannot be called: it is no checklist, or it has errors.`,
        fix: `Run \`waymark validate ${name}\`, or remove it from \`sub_workflows\`.`,
        place: { file: set.main.path, line: 1, column: 1 },
      });
  }
  for (const name of parsed.definition?.subWorkflows ?? []) {
    if (set.workflows[name] === undefined && Object.keys(set.workflows).length + Object.keys(set.imports).length > 0)
      found.push(unknownCall("CHECKLIST_BAD_CALL", set.main.path, name));
  }
  const place = { file: set.main.path, line: 1, column: 1 };
  const wrong = found.some((each) => each.severity === "error");
  const program: Program | undefined =
    parsed.definition === undefined || wrong ? undefined : lowerChecklist({ main: parsed.definition, called, place });
  return { diagnostics: found, info: infoOf(parsed.info, program), ...(program === undefined ? {} : { program }) };
}

function unknownCall(code: string, file: string, name: string): Diagnostic {
  return {
    code,
    severity: "error",
    message: `There is no workflow \`${name}\` to call.`,
    fix: "Correct the name, or remove the call.",
    place: { file, line: 1, column: 1 },
  };
}

function infoOf({ title: _title, ...info }: ChecklistInfo, program: Program | undefined): WorkflowInfo {
  return { ...info, inputs: program?.parts[program.main]?.inputs ?? {} };
}
