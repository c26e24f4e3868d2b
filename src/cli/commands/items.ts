import type { OptionValues } from "commander";
import { counted, defined, isObject, shorten, textOf, type JsonObject } from "../../base/index.ts";
import { maskSecrets, type EngineContext, type RunHandle } from "../../engine/index.ts";
import type { Item } from "../../program/index.ts";
import { exitCodes, usage } from "../codes.ts";
import type { Shares } from "../command-share.ts";
import type { Given } from "../define-command.ts";
import type { Session } from "../session.ts";

/** Dialects of the run print their items in their own way; everything else that it works through is printed as rows. */
export async function itemsCommand({ session, shares, args: [run = ""], options }: Given): Promise<number> {
  return session.withEngine(async (context) => {
    const handle = await context.runs.open(run);
    const count = (await ownItems(session, context, { handle, shares, options })) ?? (await printRows(session, context, handle, options));
    session.out.aside(`${counted(count, "item")}.`);
    return exitCodes.done;
  });
}

/** The run's own dialect is asked first, then those of the workflows that it calls. */
async function ownItems(
  session: Session,
  context: EngineContext,
  { handle, shares, options }: { readonly handle: RunHandle; readonly shares: Shares; readonly options: OptionValues },
): Promise<number | undefined> {
  const { dialect, parts } = handle.program;
  for (const each of new Set([dialect, ...Object.values(parts).map((part) => part.dialect)])) {
    const count = await (await shares.of(each)).items?.({ session, context }, handle.id, options);
    if (count !== undefined) return count;
  }
  return undefined;
}

const page = 1_000;
const textShown = 70;

async function printRows(session: Session, context: EngineContext, handle: RunHandle, options: OptionValues): Promise<number> {
  const { id, program, state } = handle;
  const rows: JsonObject[] = [];
  for (const list of await context.store.itemLists(id))
    for (let after: string | undefined; ;) {
      const items = await context.store.selectItems(id, { list, query: {}, limit: page, ...defined({ after }) });
      rows.push(...items.map((item) => maskSecrets(rowOf(item), program, state)));
      after = items.at(-1)?.order;
      if (items.length < page) break;
    }
  return printItems(session, rows, options);
}

/** One line each for scripts, a table for people; those with the status that is asked for. Answers how many. */
export function printItems({ out }: Session, rows: readonly JsonObject[], options: OptionValues): number {
  const { status, ...others } = options;
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw usage(`\`--${other}\` does not fit the items of this run.`, "Leave it out; `--status` fits the items of every run.");
  const wanted = status === undefined ? rows : rows.filter((row) => row["status"] === status);
  if (out.json) for (const row of wanted) out.document(row, "line");
  else if (wanted.length > 0) out.table(["ITEM", "STATUS", "WHY"], wanted.map(columnsOf));
  return wanted.length;
}

function columnsOf(row: JsonObject): readonly string[] {
  return [textOf(row["id"] ?? ""), textOf(row["status"] ?? ""), shorten(textOf(row["reason"] ?? ""), textShown)];
}

function rowOf({ list, id, status, reason, label, attempts, dependsOn, data }: Item): JsonObject {
  const title = isObject(data) && typeof data["title"] === "string" ? data["title"] : undefined;
  const tries = attempts > 1 ? attempts : undefined;
  return { id, list, status, ...defined({ reason, label, title, attempts: tries, depends_on: dependsOn && [...dependsOn] }) };
}
