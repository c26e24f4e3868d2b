import { defined, isObject, type Json, type JsonObject } from "../../base/index.ts";
import { holderBefore, next, readState, resume, retryWithCalled, start, type EngineContext } from "../../engine/index.ts";
import { exitCodes, usage } from "../codes.ts";
import type { CommandShare } from "../command-share.ts";
import { atDesk, type Session } from "../session.ts";
import type { Given } from "../define-command.ts";
import { showMoved, tellBegun, waiting } from "../drive.ts";
import { flagOf, parseBudget, parseInputs } from "../parse-values.ts";
import { holderWords } from "../driven-line.ts";
import { quoted } from "../printed-lines.ts";
import { showPosition } from "../position-text.ts";
import { ProgressLine } from "../progress-line.ts";

export async function startCommand(given: Given): Promise<number> {
  const {
    session,
    shares,
    args: [workflow = ""],
    options,
  } = given;
  const limits = options["budget"] === undefined ? {} : { budget: parseBudget(options["budget"]) };
  const wait = waiting(session, options);
  return atDesk({ session, shares }, async (desk) => {
    const inputs = withTyped(await parseInputs(session, desk.context, workflow, options), await typedInputs(given, desk.context));
    // No process stays behind that could hold it: the step is for who reports it, or asks for it, first.
    const request = { workflow, inputs, held: false, serial: options["serial"] === true, ...limits };
    const { program } = await desk.context.catalog.loadValid(workflow);
    const shown = withProgress(session, wait, await shares.of(program.dialect));
    const position = await start(desk.context, desk.caller, { ...request, ...shown.wait });
    shown.clear();
    const begun = await tellBegun(desk, position);
    session.showWorkspace();
    const code = await showMoved(desk, position, { workspace: session.workspace, ...begun });
    const { standing } = position;
    // A fault stopped it before there was anything to do.
    const isStopped = standing.kind === "blocked" && standing.denied !== true && standing.until === undefined;
    return isStopped && code === exitCodes.done ? exitCodes.failed : code;
  });
}

/** On a terminal, what the engine does at the start is a line that counts files as long as it looks at them. */
function withProgress(
  session: Session,
  wait: ReturnType<typeof waiting>,
  { scanned }: CommandShare,
): { readonly wait: typeof wait; readonly clear: () => void } {
  const line = new ProgressLine(session, () => performance.now());
  const onProgress: typeof wait.onProgress = (standing, run) => {
    const files = scanned?.(run);
    if (files === undefined) line.clear();
    else line.show(files.done, files.total);
    if (files === undefined || !line.isShown) wait.onProgress(standing, run);
  };
  return { wait: { ...wait, onProgress }, clear: () => line.clear() };
}

/** What was typed for the workflow beside its inputs: paths, and options that only some dialects have. */
async function typedInputs(
  { session, shares, args: [workflow = "", ...paths], options }: Given,
  context: EngineContext,
): Promise<JsonObject> {
  const { input: _input, inputs: _inputs, serial: _serial, budget: _budget, wait: _wait, ...own } = options;
  const [option] = Object.keys(own);
  if (paths.length === 0 && option === undefined) return {};
  const { program } = await context.catalog.loadValid(workflow);
  const { startInputs } = await shares.of(program.dialect);
  if (startInputs !== undefined) return startInputs(session, paths, own);
  const what = option === undefined ? "no paths" : `no \`${flagOf(option)}\``;
  throw usage(
    `\`${workflow}\` takes ${what}.`,
    `Leave ${option === undefined ? "them" : "it"} out; \`waymark info ${workflow}\` shows its inputs.`,
  );
}

function withTyped(inputs: JsonObject, typed: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...inputs };
  for (const [name, value] of Object.entries(typed)) {
    const given = merged[name];
    const both = isObject(given) && isObject(value);
    const twice = both ? Object.keys(value).find((key) => Object.hasOwn(given, key)) : given === undefined ? undefined : name;
    if (twice !== undefined)
      throw usage(`\`${twice}\` is given twice: as an input, and by the paths or options of the command.`, "Give it once.");
    merged[name] = both ? { ...given, ...value } : value;
  }
  return merged;
}

export async function nextCommand(given: Given): Promise<number> {
  const request = placeOf(given);
  return atDesk(given, async (desk) => showMoved(desk, await next(desk.context, desk.caller, request)));
}

export async function resumeCommand(given: Given): Promise<number> {
  const request = placeOf(given);
  return atDesk(given, async (desk) => {
    const { run, task } = request;
    const before = await holderBefore(desk.context, desk.caller, await desk.context.runs.open(run), task);
    const position = await resume(desk.context, desk.caller, request);
    const { state } = await readState(desk.context, position.run);
    const excluded = position.program.parts[position.program.main]?.onResume.exclude ?? [];
    const shown = Object.entries(state).filter(([name]) => !excluded.includes(name));
    const { out } = given.session;
    if (shown.length > 0) {
      out.line("State");
      for (const [name, value] of shown) out.line(`  ${name}: ${JSON.stringify(value)}`);
      out.line();
    }
    const code = await showPosition(desk, position, { state: Object.fromEntries(shown) });
    if (before !== undefined)
      out.hint(`You have taken it from ${holderWords(before)}. To give it back: waymark checkpoint ${quoted(position.run)}`);
    return code;
  });
}

export async function retryCommand(given: Given): Promise<number> {
  // As after a start, the step is for who reports it, or asks for it, first.
  const request = { ...placeOf(given), resetCounts: given.options["resetCounts"] === true, looks: true };
  return atDesk(given, async (desk) => {
    const { context, caller, shares } = desk;
    const { retry } = await shares.of((await context.runs.open(request.run)).program.dialect);
    if (retry !== undefined) return showMoved(desk, await retry(desk, request));
    const { opened, position } = await retryWithCalled(context, caller, request);
    if (opened > 0) given.session.out.line(`Opened ${opened} files and items again.`);
    return showMoved(desk, position);
  });
}

function placeOf({
  session,
  args: [run = ""],
  options,
}: Given): { readonly run: string; readonly task?: string } & ReturnType<typeof waiting> {
  const task: string | undefined = options["task"];
  return { run, ...defined({ task }), ...waiting(session, options) };
}
