import { cutText, isWaymarkError, own, shellWord, visibleText, type WaymarkError } from "../base/index.ts";
import type { Action, Effect, Strand } from "../kernel/index.ts";
import type { Program } from "../program/index.ts";
import type { Permission, Run } from "../ports/index.ts";
import { requireAsPinned } from "./as-pinned.ts";
import { engineActor } from "./caller.ts";
import type { LoadedWorkflow } from "./catalog.ts";
import { refused } from "./codes.ts";
import { commitInputs } from "./commit-inputs.ts";
import type { EngineContext } from "./context.ts";
import { rolesOfProject, runOfRole } from "./role-binding.ts";
import type { RunHandle } from "./run-cache.ts";
import type { Settle } from "./runtime.ts";
import { withScript } from "./script-content.ts";

type Asking = Pick<EngineContext, "leaves" | "host" | "catalog" | "settings">;

/**
 * Everything a program can make the engine run, as a person should see it before allowing it: each once, with the tool servers of the
 * project that would answer. Tool calls count only where the engine can make them.
 */
export function whatItRuns(context: Asking, program: Program): readonly Run[] {
  return unique([...ofContent(context, program), ...ofSettings(context, program)]);
}

/** Any step but a prompt, as an agent gets it that Waymark starts: its words come from the workflow too. */
const drivenStep: Run = { kind: "agent", text: "each step for an agent, when Waymark drives it" };

/** What agents that Waymark starts get of a program: its prompts, and whether it has other steps for them. */
export function whatAgentsGet(context: Asking, program: Program): readonly Run[] {
  const given = context.leaves.inProgram(program).filter(({ leaf, block }) => block.who === "agent" && !("alone" in leaf));
  return unique(given.flatMap(({ leaf, block }) => agentRuns(leaf.runs(block.args))).map((run) => withScript(context, run)));
}

function agentRuns(runs: readonly Run[]): readonly Run[] {
  const prompts = runs.filter(({ kind }) => kind === "agent");
  return prompts.length > 0 ? prompts : [drivenStep];
}

/** One run as permissions keep it. What decides beside the text what is run is before it, so no other run has the same line. */
export function lineOfRun(run: Run): string {
  const { kind, text, cwd, env = {}, permission, usualAgent, agent = usualAgent, model, tools, server, answers, script, readAs = [] } = run;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${shellWord(value)}`);
  const around = [
    ...(server === undefined ? [] : [`server ${server}`]),
    ...(agent === undefined ? [] : [agent]),
    ...(script === undefined ? [] : [`script ${script}`]),
    ...(cwd === undefined ? [] : [`in ${shellWord(cwd)}`]),
    ...(variables.length === 0 ? [] : [`with ${variables.join(" ")}`]),
    ...(model === undefined ? [] : [`model ${model}`]),
    ...(tools?.allowed === undefined ? [] : [tools.allowed.length === 0 ? "no tools" : `only the tools ${tools.allowed.join(", ")}`]),
    ...(tools?.denied === undefined ? [] : [`without the tools ${tools.denied.join(", ")}`]),
    ...(permission === undefined ? [] : [`permission ${[permission.level, ...(permission.commands ?? [])].join(", ")}`]),
    ...readAs,
    ...(answers === undefined ? [] : [`answers ${answers.join(", ")}`]),
  ];
  return `${kind}${around.length === 0 ? "" : ` (${around.join(", ")})`}: ${text}`;
}

/** What `allow` offers: all that the workflow runs and a permission is for; nothing when it is allowed as it is now. */
export async function runsToAllow(
  context: Asking,
  { program, own }: { readonly program: Program; readonly own: boolean },
): Promise<readonly Run[]> {
  const content = needing(context, [...ofContent(context, program), ...whatAgentsGet(context, program)], own);
  const settings = ofSettings(context, program);
  const covered = (await isPermitted(context, program, content)) && (await linesAllowed(context, settings));
  return covered ? [] : unique([...content, ...settings]);
}

/**
 * A workflow that runs something of the project needs a person's permission for exactly this content. An agent that a person started asks that
 * person itself, so agents count only where Waymark starts them (`driven`). Rejects with ENGINE_NOT_ALLOWED.
 */
export async function requirePermission(
  context: Asking,
  workflow: LoadedWorkflow & { readonly program: Program },
  { driven = false }: { readonly driven?: boolean } = {},
): Promise<void> {
  const { program, own, name, path } = workflow;
  const agents = driven ? whatAgentsGet(context, program) : [];
  const runs = needing(context, [...ofContent(context, program).filter(({ kind }) => kind !== "agent"), ...agents], own);
  if (await isPermitted(context, program, runs)) return;
  const hash = context.catalog.hashOf(program);
  throw refused(
    "ENGINE_NOT_ALLOWED",
    `\`${name}\` ${own ? "runs programs of" : "comes with"} this project and ${await whyNotAllowed(context, name, hash)}. It would run:\n${listed(runs)}\nNothing was started.`,
    `A person must read ${path} and then run: waymark allow ${name}`,
    { hash, runs: runs.map(lineOfRun) },
  );
}

async function whyNotAllowed({ host }: Asking, workflow: string, hash: string): Promise<string> {
  const last = await host.permissions.lastGiven(workflow);
  if (last === undefined) return "has not been allowed to run anything yet";
  if ((await host.permissions.find(hash)) !== undefined) return "the script of one of its agents has changed since it was allowed";
  if (last.hash === hash) return "is no longer allowed: the permission was taken back";
  return `has changed since it was allowed on ${last.at.slice(0, 10)}`;
}

/** Rejects with ENGINE_NOT_ALLOWED unless the run may start these now. Asked each time, since a person may take a permission back. */
export async function requirePermissionToRun(context: Asking, handle: RunHandle, runs: readonly Run[]): Promise<void> {
  const { program } = handle;
  const wanted = effective(context, runs);
  if (await isPermitted(context, program, wanted)) return;
  const needed = needing(context, wanted, await isOwnRun(context, handle));
  if (needed.length === 0) return;
  throw refused(
    "ENGINE_NOT_ALLOWED",
    `Run \`${handle.id}\` is not allowed to run this. A person must run \`waymark allow ${program.name}\` first. It would run: ${needed.map((run) => cutText(visibleText(lineOfRun(run)), 300)).join("; ")}. Nothing was started.`,
    `When a person has allowed it, ask for the next step again: workflow_next, or \`waymark next ${handle.id}\`.`,
    { hash: context.catalog.hashOf(program), runs: needed.map(lineOfRun) },
  );
}

/** The same for the agent that is about to be started for an open action. Rejects with ENGINE_NOT_AS_PINNED for one that is not of the program. */
export async function requirePermissionToDrive(context: Asking, handle: RunHandle, action: Action): Promise<void> {
  requireAsPinned(handle, action);
  const block = handle.program.blocks[action.block];
  const runs = block?.kind === "do" ? (context.leaves.ofOpen(handle, action)?.runs(block.args) ?? []) : [];
  await requirePermissionToRun(context, handle, agentRuns(runs));
}

/** Rejects with ENGINE_NOT_ALLOWED unless this user has allowed all that the run may start, agents included. */
export async function requirePermissionToWork(context: Asking, handle: RunHandle): Promise<void> {
  await requirePermissionToRun(context, handle, [...ofContent(context, handle.program), ...whatAgentsGet(context, handle.program)]);
}

/** Rejects with ENGINE_NOT_ALLOWED where the project's configuration binds the role and no person has allowed exactly that. */
export async function requireRole(context: Pick<Asking, "host" | "settings">, program: Program, role: string): Promise<void> {
  const { fromProject = false, ...binding } = own(context.settings.roles, role) ?? {};
  if (!fromProject) return;
  const run = withScript(context, runOfRole(role, binding));
  if (await linesAllowed(context, [run])) return;
  throw refused(
    "ENGINE_NOT_ALLOWED",
    `The project's configuration says who plays \`${role}\`, which needs your permission: ${lineOfRun(run)}. Nothing was started.`,
    `A person must look at \`roles\` in .waymark/config.yaml and then run: waymark allow ${program.name}`,
    { runs: [lineOfRun(run)] },
  );
}

/** Whether the run is of a bundled workflow or of the user's own. Only the user's own processes on this computer can have sealed that. */
export async function isOwnRun({ host, catalog }: Asking, { program, state }: RunHandle): Promise<boolean> {
  const { own } = state.options;
  return (own !== undefined && own === (await host.sealHere(ownText(catalog.hashOf(program))))) || catalog.isOwn(program);
}

/** The seal that a run of such a workflow keeps; none where nothing is run that would ask for it. */
export async function sealOwn(
  context: Asking,
  { own, program }: LoadedWorkflow & { readonly program: Program },
): Promise<string | undefined> {
  if (!own || [...ofContent(context, program), ...whatAgentsGet(context, program)].length === 0) return undefined;
  return context.host.sealHere(ownText(context.catalog.hashOf(program)));
}

/** The outcome of an effect that may not run what it would run; undefined when it may. */
export async function deniedEffect(context: EngineContext, handle: RunHandle, effect: Effect): Promise<Settle | undefined> {
  const denied = (await catching(async () => requireAsPinned(handle, effect))) ?? (await denialOf(context, handle, effect));
  if (denied === undefined) return undefined;
  const { code, message, fix = "" } = denied;
  return async () => ({ outcome: { ok: "denied", code, reason: `${message} ${fix}`.trim() } });
}

/** Lets strands continue whose step a person has allowed since. */
export async function continueAllowed(context: EngineContext, handle: RunHandle): Promise<void> {
  for (const strand of Object.values(handle.state.strands)) {
    if (!(await isAllowedSince(context, handle, strand))) continue;
    const stamp = { at: await context.store.now(), by: engineActor(context.host.processId) };
    await commitInputs(context, handle, [{ input: { type: "allowed", strand: strand.id, ...stamp } }]);
  }
}

/** Whether a strand stopped for a permission that a person has given since. */
export async function isAllowedSince(context: EngineContext, handle: RunHandle, { id: strand, blocked, frames }: Strand): Promise<boolean> {
  const frame = frames.at(-1);
  const block = frame === undefined ? undefined : handle.program.blocks[frame.block];
  if (blocked?.denied !== true || block?.kind !== "do") return false;
  return (await denialOf(context, handle, { strand, what: block.what, block: block.id })) === undefined;
}

async function denialOf(
  context: EngineContext,
  handle: RunHandle,
  open: Pick<Effect, "strand" | "what" | "block">,
): Promise<WaymarkError | undefined> {
  const block = handle.program.blocks[open.block];
  const runs = block?.kind === "do" ? (context.leaves.ofOpen(handle, open)?.runs(block.args) ?? []) : [];
  return catching(() => requirePermissionToRun(context, handle, runs));
}

async function catching(ask: () => Promise<void>): Promise<WaymarkError | undefined> {
  try {
    await ask();
    return undefined;
  } catch (error) {
    // Permissions that cannot be read or believed allow nothing.
    if (!isWaymarkError(error)) throw error;
    return error;
  }
}

function ofContent(context: Asking, program: Program): readonly Run[] {
  const runs = effective(
    context,
    context.leaves.inProgram(program).flatMap(({ leaf, block }) => leaf.runs(block.args)),
  );
  const servers = runs.some(({ kind }) => kind === "tool") ? context.catalog.servers : [];
  return unique([...runs.map((run) => withShell(context, run)), ...servers.map(serverRun)]);
}

function ofSettings(context: Asking, program: Program): readonly Run[] {
  const found = context.leaves
    .inProgram(program)
    .flatMap(({ leaf }) => ("configured" in leaf ? (leaf.configured?.(context.settings) ?? []) : []));
  return unique([
    ...found.map((run) => withShell(context, run)),
    ...rolesOfProject(context, program).map((run) => withScript(context, run)),
  ]);
}

function effective(context: Asking, runs: readonly Run[]): readonly Run[] {
  const { tools } = context.host;
  return runs.flatMap((run) => (run.kind !== "tool" || tools.configured ? [withScript(context, run)] : []));
}

function withShell({ host: { commands } }: Asking, run: Run): Run {
  return run.kind === "command" && run.shell === undefined && commands.shell !== undefined ? { ...run, shell: commands.shell } : run;
}

function serverRun(described: string): Run {
  const at = described.indexOf(": ");
  return { kind: "tool", server: described.slice(0, at), text: described.slice(at + 2) };
}

/** Of a workflow that is the user's own only what the project decides about: its tool servers, and programs that are its own. */
function needing({ catalog }: Asking, runs: readonly Run[], own: boolean): readonly Run[] {
  return own ? runs.filter(({ kind, ofProject }) => ofProject === true || (kind === "tool" && catalog.servers.length > 0)) : runs;
}

async function isPermitted(context: Asking, program: Program, runs: readonly Run[]): Promise<boolean> {
  if (runs.length === 0) return true;
  const scripted = runs.filter(({ script }) => script !== undefined).map(lineOfRun);
  const held = await allowed(context, program);
  if (held.some((each) => scripted.every((line) => each.runs.includes(line)))) return true;
  const commands = await linesOf(context, ({ workflow }) => workflow === "");
  return runs.every((run) => isPlainCommand(context, run) && commands.has(lineOfRun(run)));
}

/** A line says all of a command that the computer's own shell is given as it is written. */
function isPlainCommand({ host: { commands } }: Asking, { kind, shell }: Run): boolean {
  return kind === "command" && (shell === undefined || shell === commands.shell);
}

/** Exactly this content, wherever the checkout is that it was read from: a run may have been started on another computer. */
async function allowed({ host, catalog }: Asking, program: Program): Promise<readonly Permission[]> {
  const { permissions } = host;
  const found = await permissions.find(catalog.hashOf(program));
  if (found !== undefined) return [found];
  const held = (await permissions.list()).filter(
    ({ workflow, workspace }) => workflow === program.name && workspace === permissions.workspace,
  );
  if (held.length === 0) return [];
  const hashes = new Set(catalog.hashesIn(program, permissions.workspace));
  return held.filter(({ hash }) => hashes.has(hash));
}

/** Commands of the project's configuration are allowed by their lines, with whichever workflow a person saw them. */
export async function linesAllowed(context: Pick<Asking, "host">, runs: readonly Run[]): Promise<boolean> {
  if (runs.length === 0) return true;
  const lines = await linesOf(context, () => true);
  return runs.every((run) => lines.has(lineOfRun(run)));
}

async function linesOf(
  { host }: Pick<Asking, "host">,
  counts: (entry: { readonly workflow: string }) => boolean,
): Promise<ReadonlySet<string>> {
  const held = (await host.permissions.list()).filter((entry) => entry.workspace === host.permissions.workspace && counts(entry));
  return new Set(held.flatMap(({ runs }) => runs));
}

function unique(runs: readonly Run[]): readonly Run[] {
  return [...new Map(runs.map((run) => [JSON.stringify([lineOfRun(run), run.whole]), run])).values()];
}

function listed(runs: readonly Run[]): string {
  const shown = runs.slice(0, 10).map((run) => `  ${visibleText(lineOfRun(run))}`);
  return [...shown, ...(runs.length > 10 ? [`  and ${runs.length - 10} more`] : [])].join("\n");
}

function ownText(hash: string): string {
  return `waymark.own\n${hash}`;
}
