import { existsSync } from "node:fs";
import { rm, rmdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { counted } from "../../base/index.ts";
import { failure, usage } from "../codes.ts";
import type { Shares } from "../command-share.ts";
import type { Given } from "../define-command.ts";
import { clients, clientsIn, clientsNamed, type Client } from "../init/clients.ts";
import { planAddition, planRemoval, readPlain, type Change, type PlacedPart } from "../init/plan-changes.ts";
import { isOnPath, ownCommand, splitCommand, teamCommand } from "../init/server-command.ts";
import { quoted } from "../printed-lines.ts";
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

export async function initCommand({ session, shares, options: given }: Given): Promise<void> {
  const options: InitOptions = given;
  if (options.remove === true && options.command !== undefined) throw usage("`--command` means nothing with `--remove`.", "Leave it out.");
  if (!existsSync(session.workspace)) throw failure("CLI_FILE", `The workspace \`${session.workspace}\` does not exist.`);
  const planned = await plan(session, shares, options);
  const { changes, missing } = planned;
  const wanted = changes.filter((change) => change.before !== change.after);
  session.showWorkspace();
  report(session, planned, options);
  if (missing !== undefined) session.out.line(`${session.out.paint("yellow", "!")} ${missing}`);
  if (wanted.length === 0 || options.dryRun === true) return;
  const instead = "Add `--yes`, or look with `--dry-run`.";
  const wish = { yes: options.yes, what: "Changing files", instead, no: "Nothing was changed." };
  if (!(await session.agrees("Make these changes?", wish))) return;
  for (const change of wanted) await perform(session, change);
  session.out.line(`${counted(wanted.length, "file")} changed.`);
  if (options.remove !== true && (session.world.env["WAYMARK_STORE_URL"] ?? "") !== "")
    session.out.line("Your client must pass `WAYMARK_STORE_URL` on: without it, its agents work in the folder and not in the database.");
  if (options.remove !== true)
    session.out.hint(
      `→ ${options.example === true ? "waymark run hello --by-hand, or restart" : "Restart"} your client and ask it to list the workflows.`,
    );
}

interface Plan {
  readonly changes: readonly Change[];
  readonly snippets: readonly Snippet[];
  /** What keeps the clients of this computer from starting the server. */
  readonly missing?: string;
}

async function plan(session: Session, shares: Shares, options: InitOptions): Promise<Plan> {
  const removes = options.remove === true;
  const chosen = options.client === undefined ? await defaultClients(session, options) : clientsNamed(options.client);
  const files = chosen.flatMap((client) => placedParts(session, client));
  const planned = removes ? await planRemovals(files, options) : await planAdditions(session, chosen, options);
  const example = options.example === true ? await planExample(session.workspace, shares, removes) : [];
  return { ...planned, changes: [...planned.changes, ...example] };
}

function placedParts({ workspace, world }: Session, client: Client): readonly PlacedPart[] {
  return client.parts.map((part) => ({ client, part, root: part.folder?.(world) ?? workspace, isOwn: part.folder !== undefined }));
}

async function planAdditions(session: Session, chosen: readonly Client[], { command }: InitOptions): Promise<Plan> {
  const { workspace, world } = session;
  const given = command === undefined ? undefined : splitCommand(command);
  const team = given ?? teamCommand(workspace);
  const own = given ?? ownCommand(world);
  const snippets = chosen.flatMap((client) => userLevelSnippet(session, client, own) ?? []);
  const files = chosen
    .filter(({ name }) => !snippets.some(({ client }) => client === name))
    .flatMap((client) => placedParts(session, client));
  const changes = await Promise.all(files.map((placed) => planAddition(placed, placed.isOwn ? own : team)));
  const names = given === undefined && team[0] === "waymark" && files.some(({ isOwn }) => !isOwn);
  const missing = names && !isOnPath(world.env["PATH"] ?? "") ? { missing: howToGet(session) } : {};
  return { changes, snippets, ...missing };
}

/** An entry of the user's own serves other projects too, so it goes only when its client is named. */
async function planRemovals(files: readonly PlacedPart[], { client: named }: InitOptions): Promise<Plan> {
  const changes = await Promise.all(
    files.map(async (placed) => {
      const change = await planRemoval(placed);
      if (!placed.isOwn || named !== undefined || change.after === change.before) return change;
      const note = `Other projects may use its entry. To take it out: waymark init --remove --client ${placed.client.name}`;
      return { ...change, after: change.before, note };
    }),
  );
  return { changes, snippets: [] };
}

/** Files of a team name the program alone, so everybody has to have it under that name. */
function howToGet({ world }: Session): string {
  const clone = existsSync(join(world.packageFolder, "scripts", "build.mjs")) ? quoted(world.packageFolder) : "<folder of the clone>";
  const windows =
    world.platform === "win32" ? ' On Windows a client that starts programs without a shell needs `--command "cmd /c waymark mcp"`.' : "";
  return `\`waymark\` is not on your PATH, so clients cannot start it yet. Everybody who works here installs it once: npm install -g ${clone} (in a clone: npm ci && npm run build first).${windows}`;
}

/** Removing looks everywhere; adding takes what the workspace uses, or asks. */
async function defaultClients(session: Session, options: InitOptions): Promise<readonly Client[]> {
  if (options.remove === true) return clients;
  const found = clientsIn(session.workspace);
  if (found.length > 0) return found;
  const names = clients.map((client) => client.name).join(", ");
  session.requireTerminal(`No coding agent has left a trace in ${session.workspace}; choosing one`, `Name it with \`--client\`: ${names}.`);
  for (const client of clients) session.out.line(`  ${client.name.padEnd(10)} ${client.title}`);
  return clientsNamed(await session.prompter.ask("For which clients (separated by commas)? "));
}

/** Codex reads a project's file only where the project has one; with only a user's own file, the lines are shown for it instead. */
function userLevelSnippet({ workspace, world }: Session, client: Client, command: readonly string[]): Snippet | undefined {
  const [{ format } = { format: undefined }] = client.parts;
  if (format?.kind !== "toml" || existsSync(join(workspace, ".codex"))) return undefined;
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
      root: workspace,
      before,
      after,
      ...(before !== undefined && before !== text ? { note: "It was changed since, so it stays." } : {}),
    });
  }
  return changes;
}

function report({ out, workspace }: Session, { changes, snippets, missing }: Plan, options: InitOptions): void {
  const shown = changes.map(({ client, file, before, after, note }) => {
    if (before === after) return { client, file, action: "none", note };
    const action = before === undefined ? "create" : after === undefined ? "delete" : "edit";
    return { client, file, action, note, difference: renderDifference(before, after) };
  });
  out.document({ workspace, dry_run: options.dryRun === true, changes: shown, snippets, missing });
  for (const { file, action, note, difference } of shown) {
    if (difference === undefined) {
      if (options.remove !== true || note !== undefined) out.advice(`${file}: ${note ?? "nothing to do."}`);
      continue;
    }
    out.line(out.paint("bold", `${file} (${action})`));
    for (const line of difference)
      out.line(line.startsWith("+") ? out.paint("green", line) : line.startsWith("-") ? out.paint("red", line) : line);
    if (note !== undefined) out.advice(note);
    out.line();
  }
  for (const { file, text } of snippets) out.line(`${file} is outside the workspace and is not touched. Add this to it:\n\n${text}\n`);
  if (shown.every(({ difference }) => difference === undefined))
    out.line(options.remove === true ? "There is nothing to take out." : "Everything is in place.");
}

async function perform({ world }: Session, { path, root, file, after }: Change): Promise<void> {
  if (after !== undefined) return world.writeFile(path, after);
  await rm(path);
  for (let folder = dirname(resolve(root, file)); folder !== resolve(root); folder = dirname(folder)) {
    // A folder that still holds something stays, and so do those above it.
    if ((await rmdir(folder).catch(() => "kept")) === "kept") return;
  }
}

/** The commented configuration of `init --example`. */
const exampleConfig: Readonly<Record<string, string>> = {
  ".waymark/config.yaml": `# Settings of this project; \`waymark config\` shows every value and where it comes from.
# Take the # away from what you want to change.

# limits:
#   parallel_commands: 4        # shell commands at the same time
#   command_timeout_ms: 600000  # for commands whose step names no time

# budget:
#   steps: 200                  # a run asks before it takes more
#   minutes: 60

# mcp_servers:                  # tool servers the engine calls itself
#   files:
#     command: npx
#     args: [-y, some-mcp-server]
`,
};

const around = 2;

/** What changes in a file, as lines with `+` and `-` and two lines around them; a new or removed file is shown whole. */
function renderDifference(before: string | undefined, after: string | undefined): string[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  return [
    ...old.slice(Math.max(0, head - around), head).map((line) => `  ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `- ${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+ ${line}`),
    ...now.slice(now.length - tail, now.length - tail + around).map((line) => `  ${line}`),
  ];
}

function linesOf(text: string | undefined): string[] {
  if (text === undefined || text === "") return [];
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
