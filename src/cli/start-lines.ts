import { jsonOrText, own } from "../base/index.ts";
import { lastHolder, mainScope, maskSecrets, requestInput, type EngineContext, type RunHandle } from "../engine/index.ts";
import { driverFlags } from "./driven-line.ts";
import { fillIn, quoted } from "./printed-lines.ts";

type Context = Pick<EngineContext, "leaves">;
type Program = RunHandle["program"];
type Inputs = Readonly<Record<string, string>>;

/** A longer value is left to be filled in. */
const longestValue = 1000;

/**
 * The line that starts a workflow, with a place to fill in for every input that has to be given and is not; in a worktree where it needs one.
 */
export function startLine(
  context: Context,
  workflow: string,
  program: Program,
  { inputs = {}, request = "" }: { readonly inputs?: Inputs; readonly request?: string } = {},
): string {
  const flags = worktreeFlags(context, program);
  const all = { ...neededKeys(context, program, request), ...inputs };
  return lineOf(flags.length > 0 ? "run" : "start", { workflow, program, inputs: all, flags });
}

/** Inputs that need certain keys, with what the request says of each, else a place for it. */
function neededKeys({ leaves }: Context, program: Program, request: string): Inputs {
  const said = leaves.said(program, request);
  const filled = Object.entries(leaves.needs(program)).map(([name, keys]) => {
    const places = Object.fromEntries(keys.map((key) => [key, said[name]?.[key] ?? fillIn(key)]));
    return [name, JSON.stringify(places)] as const;
  });
  return Object.fromEntries(filled);
}

function worktreeFlags(context: Context, program: Program): readonly string[] {
  return context.leaves.inProgram(program).some(({ leaf }) => leaf.inWorktree === true) ? ["--worktree"] : [];
}

/** The line that drives a new run with what this one was given. `flags`: further words, as they are typed. */
export function newRunLine({ program, state }: RunHandle, flags: readonly string[]): string {
  const inputs = givenTexts({ program, state });
  const worktree = state.options.folder === undefined ? [] : ["--worktree"];
  return lineOf("run", { workflow: state.workflow, program, inputs, flags: [...flags, ...worktree] });
}

/** The same with the options of its last driver; one that was never driven is started. */
export async function anotherRunLine(context: Pick<EngineContext, "store">, handle: RunHandle): Promise<string> {
  const { program, state } = handle;
  const driver = await lastHolder(context, handle.id, "worker");
  if (driver !== undefined || state.options.folder !== undefined)
    return newRunLine(handle, driver === undefined ? [] : driverFlags(driver));
  return lineOf("start", { workflow: state.workflow, program, inputs: givenTexts(handle), flags: [] });
}

interface Started {
  readonly workflow: string;
  readonly program: Program;
  readonly inputs: Inputs;
  readonly flags: readonly string[];
}

function lineOf(command: "start" | "run", { workflow, program, inputs, flags }: Started): string {
  const words = Object.entries(program.parts[program.main]?.inputs ?? {}).flatMap(([name, { required, default: usual }]) => {
    const text = own(inputs, name) ?? (required && usual === undefined ? fillIn(name) : undefined);
    return text === undefined ? [] : [`--input ${quoted(`${name}=${text}`)}`];
  });
  return [`waymark ${command} ${quoted(workflow)}`, ...words, ...flags].join(" ");
}

/** The line that starts a workflow with a request, and what it gives: a request that is too long for a line is left to be filled in. */
export function startRequestLine(
  context: Context,
  workflow: string,
  program: Program,
  request: string,
): { readonly start: string; readonly given: Inputs } {
  const { given, inputs } = requestInputs(program, request);
  return { start: startLine(context, workflow, program, { inputs, request }), given };
}

/** The line that starts it so and drives it. */
export function driveRequestLine(context: Context, workflow: string, program: Program, request: string): string {
  const { inputs } = requestInputs(program, request);
  const all = { ...neededKeys(context, program, request), ...inputs };
  return lineOf("run", { workflow, program, inputs: all, flags: worktreeFlags(context, program) });
}

function requestInputs(program: Program, request: string): { readonly given: Inputs; readonly inputs: Inputs } {
  const input = requestInput(program.parts[program.main]?.inputs ?? {});
  // A line that is copied into a terminal must not steer it.
  const fits = request.length <= longestValue && !/\p{Cc}/u.test(request.replaceAll("\n", ""));
  const given = input === undefined || !fits ? {} : { [input]: request };
  const left = input === undefined || fits ? {} : { [input]: fillIn(input) };
  return { given, inputs: { ...left, ...given } };
}

/** Inputs as they are typed. One that nobody may see, or that is too long for a line, is a place to fill in. */
function givenTexts({ program, state }: Pick<RunHandle, "program" | "state">): Inputs {
  const inputs = state.scopes[mainScope]?.inputs ?? {};
  const texts = Object.entries(program.parts[program.main]?.inputs ?? {}).flatMap(([name, { type, default: usual }]) => {
    const value = own(inputs, name);
    if (value === undefined || JSON.stringify(value) === JSON.stringify(usual)) return [];
    const text = typeof value === "string" && (type === "string" || jsonOrText(value) === value) ? value : JSON.stringify(value);
    const isHidden = JSON.stringify(maskSecrets({ [name]: value }, program, state)) !== JSON.stringify({ [name]: value });
    return [[name, isHidden || text.length > longestValue ? fillIn(name) : text] as const];
  });
  return Object.fromEntries(texts);
}
