import { counted, shortenAtWord, textOf, type JsonObject } from "../../base/index.ts";
import { readItems, type EngineContext } from "../../engine/index.ts";
import { exitCodes, usage } from "../codes.ts";
import type { Given } from "../define-command.ts";
import type { Session } from "../session.ts";

/** Dialects of the run print their items in their own way; everything else that it works through is printed as rows. */
export async function itemsCommand(given: Given): Promise<number> {
  const { session, args, options } = given;
  const [run = ""] = args;
  return session.withEngine(async (context) => {
    const count = (await ownItems(given, context, run)) ?? printItems(session, await readItems(context, run), options);
    session.out.aside(`${counted(count, "item")}.`);
    return exitCodes.done;
  });
}

/** The run's own dialect is asked first, then those of the workflows that it calls. */
async function ownItems({ session, shares, options }: Given, context: EngineContext, run: string): Promise<number | undefined> {
  const { dialect, parts } = (await context.runs.open(run)).program;
  for (const each of new Set([dialect, ...Object.values(parts).map((part) => part.dialect)])) {
    const count = await (await shares.of(each)).items?.({ session, context }, run, options);
    if (count !== undefined) return count;
  }
  return undefined;
}

const textShown = 70;

/** One line each for scripts, a table for people; those with the status that is asked for. Answers how many. */
export function printItems({ out }: Session, rows: readonly JsonObject[], options: Given["options"]): number {
  const { status, ...others } = options;
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw usage(`\`--${other}\` does not fit the items of this run.`, "Leave it out; `--status` fits the items of every run.");
  const wanted = status === undefined ? rows : rows.filter((row) => row["status"] === status);
  out.beginList();
  if (out.json) for (const row of wanted) out.entry(row);
  else if (wanted.length > 0) out.table(["ITEM", "STATUS", "WHY"], wanted.map(columnsOf));
  return wanted.length;
}

function columnsOf(row: JsonObject): readonly string[] {
  return [textOf(row["id"] ?? ""), textOf(row["status"] ?? ""), shortenAtWord(textOf(row["reason"] ?? ""), textShown)];
}
