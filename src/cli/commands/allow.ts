import { counted, defined, visibleText } from "../../base/index.ts";
import { lineOfRun, type EngineContext } from "../../engine/index.ts";
import { agentOffer, agentOffers, commandOffer, workflowOffers, type Offer } from "../allowing/permission-offers.ts";
import { isCut, showOffer } from "../allowing/show-offer.ts";
import { continuingRuns } from "../allowing/continuing-runs.ts";
import { didYouMean, usage } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { followingData, followingText, quoted } from "../printed-lines.ts";
import type { Session } from "../session.ts";

interface AllowOptions {
  readonly all?: boolean;
  readonly command?: readonly string[];
  readonly agent?: string;
  readonly list?: boolean;
  readonly show?: boolean;
  readonly revoke?: boolean;
  readonly yes?: boolean;
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
  if (options.show === true && [options.list, options.revoke, options.yes].includes(true))
    throw usage("`--show` allows nothing and takes nothing back.", "Leave `--list`, `--revoke` and `--yes` out.");
  return session.withEngine(async (context) => {
    if (options.list === true) return list(session, context);
    if (options.revoke === true && options.agent !== undefined) return revokeAgent(session, context, options.agent);
    if (options.revoke === true) return revoke(session, context, args, commands);
    const offers =
      options.agent !== undefined
        ? [await agentOffer(session, context, options.agent)]
        : commands.length > 0
          ? commands.map((command) => commandOffer(context, command))
          : [...(await workflowOffers(session, context, args)), ...(options.all === true ? await agentOffers(session, context) : [])];
    return options.show === true ? show(session, offers) : allow(session, context, offers, options.yes === true);
  });
}

/** Everything whole, for people and scripts that only read. */
function show({ out }: Session, offers: readonly Offer[]): void {
  out.document({ offered: offers.map(({ runs, ...offer }) => ({ ...offer, runs: runs.map(lineOfRun), details: runs })) });
  for (const offer of offers) showOffer(out, offer, true);
  out.line(offers.length === 0 ? "There is nothing to allow." : "Nothing was allowed.");
}

async function allow(session: Session, context: EngineContext, offers: readonly Offer[], yes: boolean): Promise<void> {
  const { out, world } = session;
  if (offers.length === 0) {
    out.document({ allowed: [] });
    return out.line("There is nothing to allow.");
  }
  const unattended = !world.isTerminal;
  const lines = offers.flatMap(({ runs }) => runs.map((run) => visibleText(lineOfRun(run)))).slice(0, 5);
  const which = offers.length === 1 ? "this" : "these";
  session.refuseUnattended(yes, `Nobody is at a terminal to see what ${which} would run: ${lines.join("; ")}.`);
  for (const offer of offers) showOffer(out, offer, false);
  const cut = [...new Set(offers.filter(isCut).map(({ workflow }) => workflow))];
  if (cut.length > 0) out.advice(`Texts are cut here. To read them whole: waymark allow ${cut.map(quoted).join(" ")} --show`);
  const question = `Allow ${offers.length === 1 ? "this" : "all of this"} in ${context.host.workspace}?`;
  const wish = {
    yes,
    what: "Allowing",
    instead: "Run it in a terminal. To read what it would run, here and with `--json`: add `--show`.",
    no: "Nothing was allowed.",
  };
  if (!(await session.agrees(question, wish))) return;
  const given = offers.map(({ hash, workflow, runs, plan }) => ({
    hash,
    workflow,
    runs: runs.map(lineOfRun),
    details: runs,
    ...defined({ plan }),
    unattended,
  }));
  for (const each of given) await context.host.permissions.grant({ ...each, workspace: context.host.workspace });
  const continued = await continuingRuns(context, offers);
  const following = continued.length > 0 ? continued : offers.slice(0, 1).map(({ start }) => defined({ next: start }));
  const changed = given.map((each, at) => ({ ...each, ...defined({ changes: offers[at]?.changes }) }));
  out.document({ allowed: changed, ...followingData(following[0] ?? {}) });
  out.line(`Allowed${unattended ? ", recorded as unattended" : ""}. A change of the content needs a new permission.`);
  for (const line of following.flatMap(followingText)) out.hint(line);
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
      visibleText(entry.runs.join("; ")),
    ]);
    out.table(["WORKFLOW", "SINCE", "", "MAY RUN AND ASK"], rows);
  }
}

/** Takes back every permission of the agent, also for what it was before its settings changed. */
async function revokeAgent({ out }: Session, { host }: EngineContext, name: string): Promise<void> {
  const held = (await host.permissions.list()).filter(
    ({ workspace, runs }) => workspace === host.workspace && runs.some((line) => line.startsWith(`agent: ${name}: `)),
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
