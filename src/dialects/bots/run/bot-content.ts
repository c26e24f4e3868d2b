import { isList, isObject, fieldOf, type Json, type JsonObject } from "../../../base/index.ts";
import type { BotPlace } from "../views/index.ts";
import { engineActor, commitInputs, refused, stampOf, type EngineContext, type RunHandle, type Caller } from "../../../engine/index.ts";
import { inArea, logFile, stateFile } from "./project-area.ts";
import { requireBot } from "./bot-run.ts";

interface Submitted {
  /** Paths that were written, relative to the workspace. */
  readonly files: readonly string[];
  readonly problems: readonly string[];
}

/** One file of a plan: what it held and what it is to hold. Kept in the journal before anything is written. */
interface PlannedFile {
  readonly path: string;
  /** Content before; null when there was no such file. */
  readonly before: { readonly $blob: string; readonly bytes: number } | null;
  /** Hash of the content after. */
  readonly after: string;
}

/**
 * Files that an action hands in, written below the project area: nowhere else, each at once or not at all, and only over what was
 * there when they were planned.
 */
export async function submitContent(
  context: EngineContext,
  handle: RunHandle,
  { area, report, effect }: { readonly area: string; readonly report: Json | undefined; readonly effect: string },
): Promise<Submitted> {
  const { workspace, host } = context;
  const problems: string[] = [];
  const targets = targetsIn(area, report, problems);
  if (targets.size === 0) return { files: [], problems };
  const plan = await planOnce(context, handle, effect, targets);
  const files: string[] = [];
  for (const [path, text] of targets) {
    const before = plan.find((file) => file.path === path)?.before;
    if (before === undefined) continue;
    const outcome = await workspace.writeFile(host.workspace, path, new TextEncoder().encode(text), before?.$blob ?? null);
    if (outcome.status === "done") files.push(path);
    else problems.push(`${path}: ${outcome.reason}`);
  }
  return { files, problems };
}

/** Texts by path; the last one given for a path counts. */
function targetsIn(area: string, report: Json | undefined, problems: string[]): ReadonlyMap<string, string> {
  const content = isObject(report) ? (report["content"] ?? report["files"]) : undefined;
  const given: readonly Json[] = isList(content)
    ? content
    : isObject(content)
      ? Object.entries(content).map(([path, text]) => ({ path, text }))
      : [];
  const targets = new Map<string, string>();
  for (const entry of given) {
    const path = isObject(entry) ? entry["path"] : undefined;
    const text = isObject(entry) ? (entry["text"] ?? entry["content"]) : undefined;
    if (typeof path !== "string" || typeof text !== "string") {
      problems.push("Content needs a path and a text.");
      continue;
    }
    const plain = path.replaceAll("\\", "/").replace(/^(?:\.\/)+/, "");
    const target = plain.startsWith(`${area}/`) ? plain : inArea(area, plain);
    if (area === "") problems.push(`${path}: no project area is chosen yet.`);
    else if (plain.startsWith("/") || /(?:^|\/)\.\.(?:\/|$)/.test(plain) || /^[a-z]:/i.test(plain))
      problems.push(`${path} is outside the project area.`);
    else if ([stateFile, logFile].some((name) => target === inArea(area, name))) problems.push(`${path} is written by Waymark alone.`);
    else targets.set(target, text);
  }
  return targets;
}

/** Made once for each submission: after a crash the first plan counts, since the files may hold the new content by then. */
async function planOnce(
  context: EngineContext,
  handle: RunHandle,
  effect: string,
  targets: ReadonlyMap<string, string>,
): Promise<readonly PlannedFile[]> {
  const { store, workspace, host } = context;
  const known = await readPlan(context, handle.id, effect);
  if (known !== undefined) return known;
  const files: PlannedFile[] = [];
  for (const [path, text] of targets) {
    const now = await workspace.read(host.workspace, path);
    const kept = now === undefined ? undefined : await store.putBlob(now.bytes);
    const before = kept === undefined ? null : { $blob: kept.hash, bytes: kept.bytes };
    files.push({ path, before, after: host.sha256(text) });
  }
  const change = { count: { "bot:files": files.length } };
  const by = engineActor(host.processId);
  const input = { type: "items" as const, change, reason: "content is about to be written", at: await store.now(), by };
  await commitInputs(context, handle, [{ input, key: `content:${effect}`, facts: { files } }]);
  return (await readPlan(context, handle.id, effect)) ?? files;
}

async function readPlan({ store }: EngineContext, run: string, effect: string): Promise<readonly PlannedFile[] | undefined> {
  const record = await store.findRecord(run, `content:${effect}`);
  if (record?.facts === undefined) return undefined;
  const { files } = JSON.parse(record.facts) as JsonObject;
  return files as unknown as readonly PlannedFile[];
}

export interface UndoneContent {
  readonly run: string;
  readonly place: BotPlace;
  /** Files that were restored. */
  readonly restored: readonly string[];
  /** Files that did not exist before and still hold what was written: the caller removes them. */
  readonly added: readonly { readonly path: string; readonly hash: string }[];
  /** Files that were changed since; they are left as they are. */
  readonly left: readonly { readonly path: string; readonly reason: string }[];
}

/** Takes back the files of the last completed action that wrote any and was not undone yet, or of the last one at a place. */
export async function undoContent(
  context: EngineContext,
  caller: Caller,
  { run: id, place }: { readonly run: string; readonly place?: Partial<BotPlace> },
): Promise<UndoneContent> {
  const handle = await context.runs.open(id);
  const { lists } = requireBot(handle);
  const rows = await context.store.selectItems(id, { list: lists.activity, query: { facets: { state: "completed" } }, limit: 1_000_000 });
  for (const { data } of rows.toReversed()) {
    const effect = fieldOf(data, "content");
    const at = { behaviour: fieldOf(data, "behaviour"), action: fieldOf(data, "action") };
    const wanted = (place?.behaviour ?? at.behaviour) === at.behaviour && (place?.action ?? at.action) === at.action;
    if (effect === "" || !wanted || (await context.store.findRecord(id, `undo-content:${effect}`)) !== undefined) continue;
    const undone = await undoPlan(context, id, effect);
    if (undone === undefined) continue;
    const change = { count: { "bot:undone": 1 } };
    const input = { type: "items" as const, change, reason: "submitted content was taken back", ...(await stampOf(context, caller)) };
    // What could not be taken back may be tried again.
    const key = undone.left.length === 0 ? { key: `undo-content:${effect}` } : {};
    await commitInputs(context, handle, [{ input, ...key, facts: { ...at, ...undone } }]);
    return { run: id, place: at, ...undone };
  }
  throw refused("ENGINE_NO_ACTION", `No action of run \`${id}\` has written files that could be taken back.`, "Nothing has to be done.");
}

async function undoPlan(
  context: EngineContext,
  run: string,
  effect: string,
): Promise<Pick<UndoneContent, "restored" | "added" | "left"> | undefined> {
  const { workspace, host, store } = context;
  const plan = await readPlan(context, run, effect);
  if (plan === undefined) return undefined;
  const restored: string[] = [];
  const added: { path: string; hash: string }[] = [];
  const left: { path: string; reason: string }[] = [];
  for (const { path, before, after } of plan) {
    const now = await workspace.read(host.workspace, path);
    const bytes = before === null ? undefined : await store.readBlob(before.$blob);
    if (now?.hash === before?.$blob) continue;
    if (now?.hash !== after) left.push({ path, reason: now === undefined ? "It is gone." : "It was changed since." });
    else if (before === null) added.push({ path, hash: after });
    else if (bytes === undefined) left.push({ path, reason: "Its content before is not kept any more." });
    else {
      const outcome = await workspace.writeFile(host.workspace, path, bytes, after);
      if (outcome.status === "done") restored.push(path);
      else left.push({ path, reason: outcome.reason });
    }
  }
  return { restored, added, left };
}
