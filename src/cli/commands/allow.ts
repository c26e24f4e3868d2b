import { counted } from "../../base/index.ts";
import { whatItRuns, type EngineContext, type LoadedWorkflow } from "../../engine/index.ts";
import { didYouMean, failure, usage } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { startLine } from "../printed-lines.ts";
import type { Session } from "../session.ts";
import { isTestFile } from "../testing/test-files.ts";

interface AllowOptions {
  readonly all?: boolean;
  readonly command?: readonly string[];
  readonly agent?: string;
  readonly list?: boolean;
  readonly revoke?: boolean;
  readonly yes?: boolean;
}

/** One permission that could be given, with what a person must see before. */
interface Offer {
  readonly hash: string;
  /** Empty for a single command or agent. */
  readonly workflow: string;
  readonly path?: string;
  readonly files?: readonly string[];
  readonly runs: readonly string[];
  /** The line that starts the workflow. */
  readonly start?: string;
}

export async function allowCommand(given: Given): Promise<void> {
  const { session, args } = given;
  const options: AllowOptions = given.options;
  const commands = options.command ?? [];
  const ways = [args.length > 0, options.all === true, commands.length > 0, options.agent !== undefined, options.list === true];
  const chosen = ways.filter(Boolean).length;
  if (chosen === 0)
    throw usage("Say what to allow: workflows, `--all`, `--command` or `--agent`.", "waymark allow <workflow>, or waymark allow --list");
  if (chosen > 1) throw usage("Workflows, `--all`, `--command`, `--agent` and `--list` cannot be combined.", "Use one command for each.");
  if (options.list === true && (options.revoke === true || options.yes === true))
    throw usage("`--list` only shows.", "Leave `--revoke` and `--yes` out.");
  return session.withEngine(async (context) => {
    if (options.list === true) return list(session, context);
    if (options.revoke === true && options.agent !== undefined) return revokeAgent(session, context, options.agent);
    if (options.revoke === true) return revoke(session, context, args, commands);
    const offers =
      options.agent !== undefined
        ? [await agentOffer(session, context, options.agent)]
        : commands.length > 0
          ? commands.map((command) => commandOffer(context, command))
          : await workflowOffers(session, context, args);
    return allow(session, context, offers, options.yes === true);
  });
}

function commandOffer(context: EngineContext, command: string): Offer {
  return lineOffer(context, `command: ${command}`);
}

async function agentOffer({ world, flags }: Session, context: EngineContext, name: string): Promise<Offer> {
  const line = await world.describeAgent(flags, name);
  if (line !== undefined) return lineOffer(context, line);
  throw usage(`The project's configuration has no agent \`${name}\`. Other agents need no permission.`, "See `waymark agents`.");
}

/** A permission for one line, as a person sees it. */
function lineOffer(context: EngineContext, line: string): Offer {
  return { hash: context.host.sha256(JSON.stringify([context.host.workspace, line])), workflow: "", runs: [line] };
}

/** Workflows that need a permission; the others are named and passed over. */
async function workflowOffers(session: Session, context: EngineContext, names: readonly string[]): Promise<Offer[]> {
  const all = names.length === 0;
  const found = all ? await context.catalog.list() : [];
  const own = found.filter((entry) => entry.source === "project" && !entry.shadowed && !isTestFile(entry.path));
  const offers: Offer[] = [];
  for (const name of all ? own.map((entry) => entry.name) : names) {
    const workflow = all ? await context.catalog.load(name) : await context.catalog.loadValid(name);
    const { program, hash, path, files } = workflow;
    const runs = program === undefined ? [] : whatItRuns(context, program);
    const why = program === undefined ? "it has errors" : await needsNone(context, workflow, runs);
    const start = program === undefined ? {} : { start: startLine(name, program) };
    if (why === undefined) offers.push({ hash, workflow: name, path, files: files.map((file) => file.path), runs, ...start });
    else session.out.line(`${name}: ${why}.`);
  }
  return offers;
}

async function needsNone({ host }: EngineContext, { source, hash }: LoadedWorkflow, runs: readonly string[]): Promise<string | undefined> {
  if (source !== "project") return `it is ${source === "bundled" ? "bundled with Waymark" : "your own"} and needs no permission`;
  if (runs.length === 0) return "it runs nothing by itself and needs no permission";
  return (await host.permissions.find(hash)) === undefined ? undefined : "it is allowed already, exactly as it is now";
}

async function allow(session: Session, context: EngineContext, offers: readonly Offer[], yes: boolean): Promise<void> {
  const { out, world } = session;
  if (offers.length === 0) {
    out.document({ allowed: [] });
    return out.line("There is nothing to allow.");
  }
  const unattended = !world.isTerminal;
  if (yes && unattended && world.env["WAYMARK_ALLOW_UNATTENDED"] !== "1") {
    const which = offers.length === 1 ? "this" : "these";
    const lines = offers.flatMap((offer) => offer.runs).slice(0, 5);
    throw failure("CLI_UNATTENDED", `Nobody is at a terminal to see what ${which} would run: ${lines.join("; ")}. Nothing was allowed.`);
  }
  for (const offer of offers) showOffer(session, offer);
  const question = `Allow ${offers.length === 1 ? "this" : "all of this"} in ${context.host.workspace}?`;
  const wish = { yes, what: "Allowing", instead: "Run it in a terminal.", no: "Nothing was allowed." };
  if (!(await session.agrees(question, wish))) return;
  for (const { hash, workflow, runs } of offers)
    await context.host.permissions.grant({ hash, workflow, workspace: context.host.workspace, runs, unattended });
  out.document({ allowed: offers.map(({ hash, workflow, runs }) => ({ hash, workflow, runs, unattended })) });
  out.line(`Allowed${unattended ? ", recorded as unattended" : ""}. A change of the content needs a new permission.`);
  if (offers[0]?.start !== undefined) out.hint(`→ ${offers[0].start}`);
}

function showOffer({ out }: Session, { workflow, path, files, runs, hash }: Offer): void {
  out.line(workflow === "" ? "In every workflow of this workspace:" : `${out.paint("bold", workflow)}  ${path ?? ""}`);
  for (const file of (files ?? []).slice(1)) out.line(`  reads ${file}`);
  for (const line of runs) out.line(`  ${line.replaceAll("\n", "\n           ")}`);
  out.line(out.paint("dim", `  content ${hash.slice(0, 16)}`));
  out.line();
}

async function list({ out }: Session, context: EngineContext): Promise<void> {
  const held = (await context.host.permissions.list()).filter((entry) => entry.workspace === context.host.workspace);
  out.document({ workspace: context.host.workspace, permissions: held });
  if (held.length === 0) out.line("Nothing is allowed in this workspace.");
  else {
    const rows = held.map((entry) => [
      entry.workflow === "" ? "(every workflow)" : entry.workflow,
      entry.at.slice(0, 16).replace("T", " "),
      entry.unattended ? "unattended" : "by a person",
      entry.runs.join("; "),
    ]);
    out.table(["WORKFLOW", "SINCE", "", "MAY RUN"], rows);
  }
}

/** Takes back every permission of the agent, also for what it was before its settings changed. */
async function revokeAgent({ out }: Session, { host }: EngineContext, name: string): Promise<void> {
  const held = (await host.permissions.list()).filter(
    ({ workspace, runs }) => workspace === host.workspace && runs.some((line) => line.startsWith(`agent ${name}: `)),
  );
  if (held.length === 0)
    throw usage(`The agent \`${name}\` is not allowed here, so there is nothing to take back.`, "See `waymark allow --list`.");
  for (const { hash } of held) await host.permissions.revoke(hash);
  out.document({ revoked: held.map(({ hash }) => hash) });
  out.line(`Took back ${counted(held.length, "permission")}.`);
}

async function revoke({ out }: Session, context: EngineContext, names: readonly string[], commands: readonly string[]): Promise<void> {
  const held = (await context.host.permissions.list()).filter((entry) => entry.workspace === context.host.workspace);
  const hashes = new Set(commands.map((command) => commandOffer(context, command).hash));
  const wanted = held.filter((entry) =>
    names.length > 0 ? names.includes(entry.workflow) : commands.length > 0 ? hashes.has(entry.hash) : true,
  );
  const missing =
    names.find((name) => !wanted.some((entry) => entry.workflow === name)) ??
    commands.find((command) => !wanted.some((entry) => entry.runs.includes(`command: ${command}`)));
  if (missing !== undefined) {
    const near = held.map((entry) => entry.workflow);
    const what = `\`${missing}\` is not allowed here, so there is nothing to take back.`;
    throw usage(`${what}${didYouMean(missing, near)}`, "See `waymark allow --list`.");
  }
  for (const entry of wanted) await context.host.permissions.revoke(entry.hash);
  out.document({ revoked: wanted.map((entry) => entry.hash) });
  out.line(`Took back ${counted(wanted.length, "permission")}.`);
}
