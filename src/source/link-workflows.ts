import { defined, type Diagnostic } from "../base/index.ts";
import { parallelCalls, type Program, type BlockId } from "../program/index.ts";
import { didYouMean, quoteList, sortDiagnostics, suggest } from "./complaint.ts";
import {
  importKey,
  type Dialect,
  type References,
  type WorkflowReference,
  type ExpressionChecker,
  type LoweredWorkflow,
  type WorkflowInfo,
  type FolderFile,
  type SourceSet,
  type Explanation,
  type PlayedRoles,
} from "./dialect.ts";
import { mergeProgram, withoutPart } from "./merge-programs.ts";

/** Makes one program of workflows of a list of dialects. */
export interface Linker {
  /** Whose file this is. What no dialect owns belongs to the one that owns nothing in particular, which says what the file misses. */
  readonly dialectOf: (file: FolderFile) => Dialect;
  /** Workflows and files that a file names. Texts for people and agents, and programs, are part of a workflow, but name nothing themselves. */
  readonly referencesOf: (file: FolderFile) => References;
  /**
   * Parses, checks and lowers a workflow with everything it calls, in whatever dialect, into one program. Never throws for what files
   * hold. `named` answers what files refer to, for a caller that knows it already.
   */
  readonly load: (set: SourceSet, checker?: ExpressionChecker, named?: (file: FolderFile) => References) => LoweredWorkflow;
  /** Calls in parallel tasks of workflows that have to run alone. */
  readonly loneCalls: (program: Program) => readonly LoneCall[];
}

/** Dialects are asked in the order of the list; exactly one of them has no `owns` and takes the rest, wherever it is in the list. */
export function createLinker(dialects: readonly Dialect[]): Linker {
  const rest = dialects.find(({ owns }) => owns === undefined);
  if (rest === undefined) throw new Error("No dialect takes the files that no other one owns.");
  const dialectOf = (file: FolderFile): Dialect => dialects.find((dialect) => dialect.owns?.(file)) ?? rest;
  const referencesOf = (file: FolderFile): References =>
    /\.(?:md|txt|ts|js|py)$/i.test(file.path) ? { workflows: [], files: [] } : dialectOf(file).references(file);
  return {
    dialectOf,
    referencesOf,
    loneCalls: (program) => findLoneCalls(program, dialects),
    load: (set, checker, named = referencesOf) =>
      linkWorkflow({
        dialects,
        dialectOf,
        referencesOf: named,
        set,
        loaded: new Map(),
        loading: new Set([set.main.name]),
        ...defined({ checker }),
      }),
  };
}

interface Linking extends Pick<Linker, "dialectOf" | "referencesOf"> {
  readonly dialects: readonly Dialect[];
  readonly set: SourceSet;
  readonly checker?: ExpressionChecker;
  /** Workflows that were loaded as called ones, by name. */
  readonly loaded: Map<string, LoweredWorkflow>;
  /** Workflows that are being loaded: one that is called again meanwhile is part of a circle, which is reported once. */
  readonly loading: Set<string>;
}

function linkWorkflow(linking: Linking): LoweredWorkflow {
  const { set, dialects } = linking;
  const circles = set.alone === true ? [] : findCircles(linking);
  const loaded = load(linking, set.main, false);
  const { info, diagnostics, program } = loaded;
  const more = [...circles, ...(program === undefined ? [] : parallelCallWarnings(program, dialects, set.main.path))];
  if (more.length === 0) return loaded;
  const all = sortDiagnostics([...diagnostics, ...more], set.main.path);
  return { info, diagnostics: all, ...(program === undefined || circles.length > 0 ? {} : { program }) };
}

/** Such a workflow can be started only with its tasks one after another, which nobody can see in the file. */
function parallelCallWarnings(program: Program, dialects: readonly Dialect[], path: string): readonly Diagnostic[] {
  return findLoneCalls(program, dialects).flatMap(({ block, name, word }): Diagnostic[] => {
    const place = program.places[block];
    const message = `The ${word} \`${name}\` is called in parallel tasks, and it has to run alone: \`start\` refuses this.`;
    const fix = "Call it in a `foreach`, or start the workflow with `serial: true`.";
    return place === undefined ? [] : [{ code: "DIALECTS_PARALLEL_CALL", severity: "warning", message, fix, path, place }];
  });
}

function load(linking: Linking, main: SourceSet["main"], within: boolean): LoweredWorkflow {
  const { set, checker } = linking;
  const dialect = linking.dialectOf(main);
  const { own, calls, problems } = callsOf(linking, main, dialect);
  const called = Object.entries(calls).map(([name, references]) => ({ name, references, ...loadCalled(linking, name) }));
  const infos = Object.fromEntries(called.map(({ name, info }) => [name, info]));
  const workflows = Object.fromEntries(Object.entries(set.workflows).filter(([name]) => own.has(name)));
  const programs = Object.fromEntries(called.flatMap(({ name, program }) => (program === undefined ? [] : [[name, program]])));
  const loaded = dialect.load({ ...set, main, workflows, called: infos, programs, within }, checker);
  const diagnostics = sortDiagnostics(
    [
      ...loaded.diagnostics,
      ...problems,
      ...called.flatMap(({ name, info, references }) => references.flatMap((reference) => inputProblems(name, info, reference))),
      ...called.flatMap((each) => each.diagnostics),
    ],
    main.path,
  );
  const complete = called.every(({ program }) => program !== undefined) && !diagnostics.some(({ severity }) => severity === "error");
  const sharesLists = (name: string): boolean => linking.dialects.some((each) => each.name === name && each.sharesLists === true);
  const putIn = (into: Program | undefined, { name, program: other }: { readonly name: string; readonly program?: Program }) =>
    into === undefined || other === undefined ? undefined : mergeProgram(into, other, { prefix: `${name}/`, sharesLists });
  const whole = complete ? called.reduce(putIn, loaded.program) : undefined;
  const program = whole === undefined ? undefined : Object.keys(calls).reduce(withoutUncalled, whole);
  return { info: loaded.info, diagnostics, ...defined({ program }) };
}

/** What a dialect put into its own program is not there a second time. */
function withoutUncalled(program: Program, name: string): Program {
  const isCalled = Object.values(program.blocks).some((block) => block.kind === "call" && block.part === name);
  return isCalled ? program : withoutPart(program, name);
}

function loadCalled(linking: Linking, name: string): LoweredWorkflow {
  const known = linking.loaded.get(name);
  if (known !== undefined) return known;
  const file = linking.set.workflows[name];
  if (file === undefined) throw new Error(`The linker lost the workflow ${name}.`);
  const main = { ...file, name, source: linking.set.main.source };
  if (linking.loading.has(name)) return describe(linking, main);
  linking.loading.add(name);
  const loaded = load(linking, main, true);
  linking.loading.delete(name);
  linking.loaded.set(name, loaded);
  return loaded;
}

/** What a workflow is called with, without a program. Its problems are reported where it is loaded. */
function describe(linking: Linking, main: SourceSet["main"]): LoweredWorkflow {
  const set = { ...linking.set, main, workflows: {}, alone: true as const, called: {}, programs: {}, within: true };
  return { info: linking.dialectOf(main).load(set).info, diagnostics: [] };
}

interface Calls {
  /** Workflows of the same dialect that are lowered together with the caller. */
  readonly own: ReadonlySet<string>;
  /** Others, with the places that call them. */
  readonly calls: Readonly<Record<string, readonly WorkflowReference[]>>;
  readonly problems: readonly Diagnostic[];
}

function callsOf(linking: Linking, main: FolderFile, dialect: Dialect): Calls {
  const { set } = linking;
  const own = new Set<string>();
  const calls: Record<string, WorkflowReference[]> = {};
  const problems: Diagnostic[] = [];
  const queue = set.alone === true ? [] : [main];
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    for (const reference of referencesWithin(linking, file)) {
      const { name } = reference;
      const target = Object.hasOwn(set.workflows, name) ? set.workflows[name] : undefined;
      if (target === undefined) problems.push(...unknownCall(linking, dialect, reference));
      else if (dialect.lowersItsOwn && linking.dialectOf(target) === dialect) {
        if (!own.has(name)) queue.push(target);
        own.add(name);
      } else (calls[name] ??= []).push(reference);
    }
  }
  return { own, calls, problems };
}

function unknownCall({ set }: Linking, { unknownCall: code }: Dialect, { name, place, path }: WorkflowReference): readonly Diagnostic[] {
  if (code === undefined) return [];
  const fix = suggest(name, set.known ?? Object.keys(set.workflows)) ?? "Correct the name, create the workflow, or remove the call.";
  return [{ code, severity: "error", message: `There is no workflow \`${name}\` to call.`, fix, path, place }];
}

/** What a file names itself, and what the files that it imports name. */
function referencesWithin(linking: Linking, file: FolderFile, seen: Set<string> = new Set()): readonly WorkflowReference[] {
  if (seen.has(file.path)) return [];
  seen.add(file.path);
  const { workflows, files } = linking.referencesOf(file);
  const imported = files.flat().flatMap((reference) => linking.set.imports[importKey(file.path, reference)] ?? []);
  return [...workflows, ...imported.flatMap((each) => referencesWithin(linking, each, seen))];
}

function inputProblems(
  name: string,
  { inputs }: WorkflowInfo,
  { inputs: given, ifDeclared, place, path }: WorkflowReference,
): readonly Diagnostic[] {
  const declared = Object.keys(inputs);
  if (given === undefined || declared.length === 0) return [];
  const missing = declared.filter((each) => inputs[each]?.required === true && inputs[each].default === undefined && !given.includes(each));
  const unknown = ifDeclared === true ? [] : given.filter((each) => !declared.includes(each));
  const at = { code: "DIALECTS_CALL_INPUT", path, place };
  const needs: Diagnostic = {
    ...at,
    severity: "error",
    message: `The workflow \`${name}\` needs the input${missing.length > 1 ? "s" : ""} ${quoteList(missing, "and")}.`,
    fix: `Give ${missing.length > 1 ? "them" : "it"} with the call, or give the input a default in \`${name}\`.`,
  };
  const strange = unknown.map((each): Diagnostic => ({
    ...at,
    severity: "warning",
    message: `The workflow \`${name}\` has no input \`${each}\`.`,
    fix: didYouMean(each, declared) ?? `Remove it, or declare it under the inputs of \`${name}\`.`,
  }));
  return missing.length === 0 ? strange : [needs, ...strange];
}

/** Calls that lead back to a workflow above them. A circle of one dialect that finds its circles itself is left to it. */
function findCircles(linking: Linking): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  const done = new Set<string>();
  const visit = (file: FolderFile, chain: readonly { readonly name: string; readonly file: FolderFile }[]): void => {
    for (const { name, place, path } of referencesWithin(linking, file)) {
      const at = chain.findIndex((each) => each.name === name);
      if (at >= 0) {
        const circle = chain.slice(at);
        if (circle.every((each) => linking.dialectOf(each.file).unknownCall === undefined)) continue;
        const message = `Workflows call each other in a circle: ${[...circle.map((each) => each.name), name].join(" → ")}.`;
        if (found.some((each) => each.message === message)) continue;
        found.push({ code: "DIALECTS_CALL_CYCLE", severity: "error", message, fix: "Remove one of these calls.", path, place });
      } else if (Object.hasOwn(linking.set.workflows, name) && !done.has(name)) {
        const target = linking.set.workflows[name]!;
        visit(target, [...chain, { name, file: target }]);
        done.add(name);
      }
    }
  };
  const { main } = linking.set;
  visit(main, [{ name: main.name, file: main }]);
  return found;
}

export interface LoneCall {
  readonly block: BlockId;
  /** Name of the called workflow. */
  readonly name: string;
  /** What it is, in the word of its dialect. */
  readonly word: string;
}

/** Calls in parallel tasks of workflows that have to run alone. */
export function findLoneCalls(program: Program, dialects: readonly Pick<Dialect, "name" | "alone">[]): readonly LoneCall[] {
  return parallelCalls(program).flatMap(({ block, part, atOnce, tasks }) => {
    const { name = part, dialect } = program.parts[part] ?? {};
    const alone = dialects.find((each) => each.name === dialect)?.alone;
    if (alone === undefined || !(alone.when === "in tasks" ? tasks : atOnce)) return [];
    return [{ block, name, word: alone.word }];
  });
}

/** What a program does, in the way of the dialect of its main part. Undefined when no dialect of the list can say it. */
export function explainProgram(program: Program, dialects: readonly Dialect[], roles?: PlayedRoles): Explanation | undefined {
  const own = dialects.find(({ name }) => name === program.parts[program.main]?.dialect);
  const explain = own?.explain ?? dialects.find(({ owns }) => owns === undefined)?.explain;
  return explain?.(program, {}, roles);
}
