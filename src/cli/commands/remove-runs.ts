import { existsSync, rmdirSync } from "node:fs";
import { resolve } from "node:path";
import { counted, defined, isWaymarkError, type JsonObject } from "../../base/index.ts";
import { computerText, driversOf, prune, removeRun, runs, type EngineContext, type RunHandle } from "../../engine/index.ts";
import type { Shares } from "../command-share.ts";
import { holderPlace } from "../../views/index.ts";
import { failure, usage } from "../codes.ts";
import type { Given } from "../define-command.ts";
import { parseDuration } from "../parse-values.ts";
import type { Session } from "../session.ts";
import type { LeftWorktree } from "../../ports/index.ts";
import { leftLines, removeWorktreeLine, worktreeAt, worktreeName } from "../worktree-lines.ts";

/** A platform delivers a message again within days; until it is removed the second one is known. */
const messagesKeptMs = 30 * 24 * 60 * 60 * 1000;

export async function pruneCommand({ session, options }: Given): Promise<void> {
  const { out } = session;
  if (options["olderThan"] === undefined)
    throw usage(
      "`--older-than` is missing: it says which ended runs may go.",
      "Write for example `waymark prune --older-than 30d --dry-run`.",
    );
  const age = parseDuration(options["olderThan"], "--older-than");
  const dryRun = options["dryRun"] === true;
  const pruned = await session.withEngine(async (context, { conversations }) => {
    const done = await prune(context, (await context.store.now()) - age, dryRun);
    const olderMs = Math.max(age, messagesKeptMs);
    return { ...done, messages: await (dryRun ? conversations.countSettled(olderMs) : conversations.removeSettled(olderMs)) };
  });
  const worktrees = dryRun ? [] : await leaveWorktrees(session, pruned.runs);
  out.document({ dry_run: dryRun, ...pruned, ...worktreeData(worktrees) });
  for (const run of pruned.runs) out.line(run);
  const gone = [
    counted(pruned.runs.length, "ended run"),
    ...(pruned.messages === 0 ? [] : [`${counted(pruned.messages, "message")} of chats`]),
  ];
  if (dryRun) out.line(`${gone.join(" and ")} would be removed.`);
  else out.line(`Removed ${gone.join(", ")} and ${pruned.blobs} large values (${pruned.bytes} bytes). Open runs were not touched.`);
  for (const line of worktrees.flatMap(leftLines)) out.line(line);
  if (dryRun && pruned.runs.length + pruned.messages > 0) out.hint(`→ waymark prune --older-than ${String(options["olderThan"])}`);
}

export async function rmCommand({ session, shares, args, options }: Given): Promise<void> {
  const { out } = session;
  return session.withEngine(async (context) => {
    for (const id of args) await context.runs.row(id);
    const driven = options["force"] === true ? [] : await drivenOf(context, args);
    if (driven.length > 0) throw failure("CLI_RUN_DRIVEN", `${driven.join(" ")} Nothing was removed.`);
    const wish = { yes: options["yes"], what: "Removing runs", instead: "Add `--yes` when you are sure.", no: "Nothing was removed." };
    if (wish.yes !== true && session.world.isTerminal) {
      const open = new Set((await runs(context, { status: ["running"] })).map((run) => run.id));
      for (const id of args) out.line(`${id}${open.has(id) ? " (still open)" : ""}`);
    }
    const which = args.length === 1 ? "this run" : `these ${args.length} runs`;
    if (!(await session.agrees(`Remove ${which} for good?`, wish))) return;
    const files = await leftFiles(context, shares, args);
    const elsewhere = await worktreesElsewhere(context, args);
    for (const id of args) await removeRun(context, id);
    const worktrees = await leaveWorktrees(session, args);
    const left = files.filter((path) => isKept(resolve(session.workspace, path)));
    out.document({ removed: args, ...(left.length > 0 && { left }), ...worktreeData(worktrees), ...elsewhereData(elsewhere) });
    out.line(`Removed ${counted(args.length, "run")}.`);
    if (left.length > 0) out.line(`Left in the workspace, since these files are yours: ${left.join(", ")}`);
    for (const line of worktrees.flatMap(leftLines)) out.line(line);
    for (const each of elsewhere)
      out.line(
        `Its worktree ${each.path} is on ${computerText(each.computer)} and stays there. To remove it there:\n  ${removeWorktreeLine(each)}`,
      );
  });
}

/** Who drives which of the runs, a sentence for each run. */
async function drivenOf(context: EngineContext, ids: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const id of ids) {
    const owners = await driversOf(context, id);
    if (owners.length === 0) continue;
    const handle = await readable(context, id);
    const holders = Object.values(handle?.state.strands ?? {}).flatMap(({ holder }) =>
      holder !== undefined && owners.includes(holder.session) ? [holder] : [],
    );
    const names = holders.map((holder) => `\`${holder.name}\` (${holderPlace(holder) ?? "another process"})`);
    found.push(
      `Run \`${id}\` is driven by ${names.length === 0 ? counted(owners.length, "process", "processes") : [...new Set(names)].join(", ")}.`,
    );
  }
  return found;
}

interface Elsewhere {
  readonly path: string;
  readonly branch: string;
  readonly computer: string | undefined;
}

/** Worktrees that only another computer can remove. */
async function worktreesElsewhere(context: EngineContext, ids: readonly string[]): Promise<readonly Elsewhere[]> {
  const found: Elsewhere[] = [];
  for (const id of ids) {
    const { folder, computer } = (await readable(context, id))?.state.options ?? {};
    if (folder === undefined || computer === context.host.computer || existsSync(folder)) continue;
    found.push({ ...worktreeAt(folder), computer });
  }
  return found;
}

function elsewhereData(found: readonly Elsewhere[]): JsonObject {
  return found.length === 0 ? {} : { worktrees_elsewhere: found.map(({ path, computer }) => ({ path, ...defined({ computer }) })) };
}

/** undefined for a run that cannot be read any more, which can be removed all the same. */
async function readable(context: EngineContext, id: string): Promise<RunHandle | undefined> {
  try {
    return await context.runs.open(id);
  } catch (error) {
    if (!isWaymarkError(error)) throw error;
    return undefined;
  }
}

/** Whether something of a run stays at a path: an empty folder is removed. */
function isKept(path: string): boolean {
  try {
    rmdirSync(path);
  } catch {
    // It holds something, or is a file.
  }
  return existsSync(path);
}

/** What runs may have left in the workspace. One that cannot be read any more can be removed all the same. */
async function leftFiles(context: EngineContext, shares: Shares, ids: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const id of ids) {
    try {
      const { program } = await context.runs.open(id);
      const dialects = new Set(Object.values(program.parts).map(({ dialect }) => dialect));
      for (const dialect of dialects) found.push(...((await (await shares.of(dialect)).leaves?.(context, id)) ?? []));
    } catch (error) {
      if (!isWaymarkError(error)) throw error;
    }
  }
  return found;
}

/** What became of the worktrees of runs that are gone. What is only in one is never removed here. */
async function leaveWorktrees({ world, workspace }: Session, gone: readonly string[]): Promise<readonly LeftWorktree[]> {
  const left: LeftWorktree[] = [];
  for (const run of gone) left.push(...[(await world.removeWorktree(workspace, worktreeName(run))) ?? []].flat());
  return left;
}

function worktreeData(worktrees: readonly LeftWorktree[]): JsonObject {
  if (worktrees.length === 0) return {};
  return { worktrees: worktrees.map((left) => ({ ...left, ...(left.removed ? {} : { remove: removeWorktreeLine(left) }) })) };
}
