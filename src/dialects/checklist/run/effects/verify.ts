import type { Job, Perform } from "../checklist-run.ts";
import { newRow, reopenedFile } from "../run-rows.ts";
import { beginningOf, endOf, isList, isObject } from "../../../../base/index.ts";
import type { ItemMove, ItemsChange } from "../../../../kernel/index.ts";
import type { Item } from "../../../../program/index.ts";
import { reviewPhase } from "../file-rows.ts";
import { commandClaim, done, linesAllowed, storedRows, type Rows, type VerifyCommand } from "../../../../engine/index.ts";

const mostErrorsPerFile = 20;

interface CommandReport {
  readonly name: string;
  readonly ok: boolean;
  readonly errors: number;
  readonly output: string;
}

/**
 * Runs the commands of the definition and of the configuration. What they say about a file becomes an entry of that file, which is
 * opened again. Without any command nothing is compiled, and the reply says so; files that changed are scanned by `refresh`.
 */
export const performVerify: Perform = async (job) => {
  const { context, handle, effect, run, signal } = job;
  const own = isList(effect.args["commands"]) ? effect.args["commands"] : [];
  const { allowed, refused } = await configured(job);
  const named = own.flatMap((each) => {
    const { command, name = command } = isObject(each) ? each : {};
    return typeof command === "string" ? [{ name: typeof name === "string" ? name : command, command }] : [];
  });
  const commands = [...named, ...allowed];
  const reports: CommandReport[] = [];
  const byFile: Record<string, string[]> = {};
  const known = (path: string): Promise<Item | undefined> => storedRows(context, handle.id).read(run.lists.files, path);
  for (const { name, command } of commands) {
    const outcome = await context.host.commands.run({
      command,
      cwd: context.host.workspace,
      timeoutMs: context.settings.commandTimeoutMs,
      keepBytes: context.settings.commandOutputBytes,
      signal,
      claim: commandClaim(context, handle, effect),
    });
    if (outcome.ended === "cancelled") return undefined;
    const output = `${outcome.stdout.text}\n${outcome.stderr}`;
    const ok = outcome.ended === "exit" && outcome.exitCode === 0;
    const found = ok ? [] : await errorsIn(output, context.host.workspace, known);
    for (const { file, message } of found) (byFile[file] ??= []).push(message);
    reports.push({ name, ok, errors: found.length, output: ok ? "" : endOf((outcome.problem ?? output).trim(), 1500) });
  }
  const value = {
    compiled: commands.length > 0,
    ok: reports.every((report) => report.ok),
    commands: reports.map((report) => ({ ...report })),
    not_allowed: refused,
    errors_by_file: Object.fromEntries(Object.entries(byFile).map(([file, lines]) => [file, lines.slice(0, mostErrorsPerFile)])),
  };
  return done(value, (rows) => reopen(job, rows, byFile));
};

/** Commands of the configuration; those that the project named run only when a person has allowed them. */
async function configured({ context }: Job): Promise<{
  readonly allowed: readonly VerifyCommand[];
  readonly refused: readonly string[];
}> {
  const { verifyCommands } = context.settings;
  const allowed: VerifyCommand[] = [];
  const refused: string[] = [];
  for (const each of verifyCommands) {
    const may = !each.fromProject || (await linesAllowed(context, [{ kind: "command", text: each.command }]));
    if (may) allowed.push(each);
    else refused.push(each.command);
  }
  return { allowed, refused };
}

/** `path(12,3): error ...`, `path:12:3: error ...`: the forms compilers use. Only files of the run count. */
const errorLine =
  /^\s*(?:\[?error\]?:?\s*)?(?<file>[^\s:(][^:(\r\n]*?)(?:\((?<l1>\d+)(?:,(?<c1>\d+))?[^)]*\)|:(?<l2>\d+)(?::(?<c2>\d+))?)\s*[:-]?\s*(?<rest>.*\berror\b.*)$/i;

async function errorsIn(
  output: string,
  workspace: string,
  known: (path: string) => Promise<Item | undefined>,
): Promise<readonly { readonly file: string; readonly message: string }[]> {
  const found: { readonly file: string; readonly message: string }[] = [];
  for (const line of output.split(/\r?\n/).slice(0, 20_000)) {
    if (line.length > 2_000) continue;
    const groups = errorLine.exec(line)?.groups;
    if (groups === undefined) continue;
    const named = (groups["file"] ?? "").replaceAll("\\", "/");
    const file = named.startsWith(`${workspace}/`) ? named.slice(workspace.length + 1) : named.replace(/^\.\//, "");
    if ((await known(file)) === undefined) continue;
    found.push({ file, message: beginningOf(`line ${groups["l1"] ?? groups["l2"] ?? "?"}: ${(groups["rest"] ?? "").trim()}`, 300) });
  }
  return found;
}

/** Each file with errors gets one open entry that carries them, and is open again itself. */
async function reopen({ run, effect }: Job, rows: Rows, byFile: Readonly<Record<string, readonly string[]>>): Promise<ItemsChange> {
  const { definition, lists } = run;
  const phase = reviewPhase(definition);
  const add: Item[] = [];
  const moves: ItemMove[] = [];
  for (const [path, messages] of Object.entries(byFile)) {
    const file = await rows.read(lists.files, path);
    if (file === undefined) continue;
    const id = `${path}#verify-${effect.id}`;
    const description = `Repair what the verification reports: ${messages.slice(0, mostErrorsPerFile).join("; ")}`;
    const entry = { kind: "entry", id, file: path, entry: `verify-${effect.id}`, type: "custom", description, by: "agent", phase };
    add.push(
      newRow({
        list: lists.files,
        id,
        order: `${file.order}.y${effect.id}`,
        status: "pending",
        data: { ...entry, required: true },
        facets: { kind: "entry", phase },
        parent: path,
      }),
    );
    moves.push(...reopenedFile(file, "the verification found errors"));
  }
  return { add: add.length === 0 ? [] : [{ list: lists.files, items: add }], moves };
}
