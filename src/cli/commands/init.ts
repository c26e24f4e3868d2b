import { existsSync } from "node:fs";
import { rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { exitCodes, failure, usage } from "../codes.ts";
import type { Shares } from "../command-share.ts";
import type { Given } from "../define-command.ts";
import { exampleConfig } from "../init/example-config.ts";
import { clients, clientsIn, clientsNamed, type Client } from "../init/clients.ts";
import { planAddition, planRemoval, readPlain, type Change } from "../init/plan-changes.ts";
import { renderDifference } from "../init/render-difference.ts";
import { serverCommand, splitCommand } from "../init/server-command.ts";
import { counted } from "../render-table.ts";
import type { Session } from "../session.ts";

interface InitOptions {
  readonly client?: string;
  readonly example?: boolean;
  readonly command?: string;
  readonly remove?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Text to paste into a file that is outside the workspace. */
interface Snippet {
  readonly client: string;
  readonly file: string;
  readonly text: string;
}

export async function initCommand({ session, shares, options: given }: Given): Promise<number> {
  const options: InitOptions = given;
  if (options.remove === true && options.command !== undefined) throw usage("`--command` means nothing with `--remove`.", "Leave it out.");
  if (!existsSync(session.workspace)) throw failure("CLI_FILE", `The workspace \`${session.workspace}\` does not exist.`);
  const { changes, snippets } = await plan(session, shares, options);
  const wanted = changes.filter((change) => change.before !== change.after);
  session.showWorkspace();
  report(session, changes, snippets, options);
  if (wanted.length === 0 || options.dryRun === true) return exitCodes.done;
  const instead = "Add `--yes`, or look with `--dry-run`.";
  const wish = { yes: options.yes, what: "Changing files", instead, no: "Nothing was changed." };
  if (!(await session.agrees("Make these changes?", wish))) return exitCodes.done;
  for (const change of wanted) await perform(session, change);
  session.out.line(`${counted(wanted.length, "file")} changed.`);
  if (options.remove !== true)
    session.out.hint(
      `→ ${options.example === true ? "waymark run hello, or restart" : "Restart"} your client and ask it to list the workflows.`,
    );
  return exitCodes.done;
}

async function plan(
  session: Session,
  shares: Shares,
  options: InitOptions,
): Promise<{ readonly changes: Change[]; readonly snippets: Snippet[] }> {
  const { workspace, world } = session;
  const chosen = options.client === undefined ? await defaultClients(session, options) : clientsNamed(options.client);
  const changes: Change[] = [];
  const snippets: Snippet[] = [];
  const command = options.command === undefined ? serverCommand(world, workspace) : splitCommand(options.command);
  for (const client of chosen) {
    const snippet = options.remove === true ? undefined : userLevelSnippet(session, client, command);
    if (snippet !== undefined) snippets.push(snippet);
    else changes.push(options.remove === true ? await planRemoval(workspace, client) : await planAddition(workspace, client, command));
  }
  if (options.example === true) changes.push(...(await planExample(workspace, shares, options.remove === true)));
  return { changes, snippets };
}

/** Removing looks everywhere; adding takes what the workspace uses, or asks. */
async function defaultClients(session: Session, options: InitOptions): Promise<readonly Client[]> {
  if (options.remove === true) return clients;
  const found = clientsIn(session.workspace);
  if (found.length > 0) return found;
  const names = clients.map((client) => client.name).join(", ");
  session.requireTerminal("No coding agent has left a trace in this workspace; choosing one", `Name it with \`--client\`: ${names}.`);
  for (const client of clients) session.out.line(`  ${client.name.padEnd(10)} ${client.title}`);
  return clientsNamed(await session.prompter.ask("For which clients (separated by commas)? "));
}

/** Codex reads a project's file only where the project has one; with only a user's own file, the lines are shown for it instead. */
function userLevelSnippet({ workspace, world }: Session, client: Client, command: readonly string[]): Snippet | undefined {
  const { format } = client;
  if (format.kind !== "toml" || existsSync(join(workspace, ".codex"))) return undefined;
  const file = join(world.env["CODEX_HOME"] ?? join(world.home, ".codex"), "config.toml");
  if (!existsSync(file)) return undefined;
  return { client: client.name, file, text: [`[${format.table}]`, ...format.lines(command)].join("\n") };
}

/** Files that are there already stay as they are; only those that were never changed are taken out again. */
async function planExample(workspace: string, shares: Shares, remove: boolean): Promise<Change[]> {
  const files = Object.assign({}, ...(await shares.all()).map(({ examples }) => examples), exampleConfig) as Record<string, string>;
  const changes: Change[] = [];
  for (const [file, text] of Object.entries(files)) {
    const found = await readPlain(workspace, file);
    const before = found?.before;
    const after = remove ? (before === text ? undefined : before) : (before ?? text);
    changes.push({
      file,
      path: found?.path ?? join(workspace, file),
      before,
      after,
      ...(before !== undefined && before !== text ? { note: "It was changed since, so it stays." } : {}),
    });
  }
  return changes;
}

function report({ out, workspace }: Session, changes: readonly Change[], snippets: readonly Snippet[], options: InitOptions): void {
  const action = ({ before, after }: Change): string =>
    before === after ? "none" : before === undefined ? "create" : after === undefined ? "delete" : "edit";
  out.document({
    workspace,
    dry_run: options.dryRun === true,
    changes: changes.map((change) => ({
      client: change.client,
      file: change.file,
      action: action(change),
      note: change.note,
      difference: change.before === change.after ? undefined : renderDifference(change.before, change.after),
    })),
    snippets,
  });
  for (const change of changes) {
    if (change.before === change.after) {
      if (options.remove !== true || change.note !== undefined) out.line(`${change.file}: ${change.note ?? "nothing to do."}`);
      continue;
    }
    out.line(out.paint("bold", `${change.file} (${action(change)})`));
    for (const line of renderDifference(change.before, change.after))
      out.line(line.startsWith("+") ? out.paint("green", line) : line.startsWith("-") ? out.paint("red", line) : line);
    if (change.note !== undefined) out.line(change.note);
    out.line();
  }
  for (const { file, text } of snippets) out.line(`${file} is outside the workspace and is not touched. Add this to it:\n\n${text}\n`);
  if (changes.every((change) => change.before === change.after))
    out.line(options.remove === true ? "There is nothing to take out." : "Everything is in place.");
}

async function perform({ world, workspace }: Session, { path, file, after }: Change): Promise<void> {
  if (after !== undefined) return world.writeFile(path, after);
  await rm(path);
  for (let folder = dirname(file); folder !== "."; folder = dirname(folder)) {
    // A folder that still holds something stays, and so do those above it.
    if ((await rmdir(join(workspace, folder)).catch(() => "kept")) === "kept") return;
  }
}
