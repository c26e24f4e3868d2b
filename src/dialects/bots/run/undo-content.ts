import { actorOf, type Caller, refused, type EngineContext, decide } from "../../../engine/index.ts";
import { fieldOf } from "../../../base/index.ts";
import { requireBot, type BotPlace } from "./bot-run.ts";
import { readPlan } from "./submit-content.ts";

export interface UndoneContent {
  readonly run: string;
  readonly place: BotPlace;
  /** Files that hold again what they held before. */
  readonly restored: readonly string[];
  /** Files that did not exist before and still hold what was written: whoever can remove files removes them. */
  readonly added: readonly { readonly path: string; readonly hash: string }[];
  /** Files that somebody changed since; they are left as they are. */
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
    await decide(context, handle, [
      {
        input: {
          type: "items",
          change: { count: { "bot:undone": 1 } },
          reason: "submitted content was taken back",
          at: await context.store.now(),
          by: actorOf(caller),
        },
        // What could not be taken back may be tried again.
        ...(undone.left.length === 0 ? { key: `undo-content:${effect}` } : {}),
        facts: { ...at, ...undone },
      },
    ]);
    return { run: id, place: at, ...undone };
  }
  throw refused(
    "ENGINE_NO_ACTION",
    `No action of run \`${id}\` has written files that could be taken back.`,
    "Nothing has to be done.",
    {},
  );
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
