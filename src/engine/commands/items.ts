import { defined, isObject, type JsonObject } from "../../base/index.ts";
import type { Item } from "../../program/index.ts";
import { isPartOfItem, maskSecrets } from "../../views/index.ts";
import type { EngineContext } from "../context.ts";

const page = 1_000;

/**
 * Everything that a run works through, list by list in the order in which it is worked on; secrets are masked. What is a part of the work on
 * an item of a declared list is not listed beside it.
 */
export async function readItems({ runs, store }: EngineContext, run: string): Promise<readonly JsonObject[]> {
  const { id, program, state } = await runs.open(run);
  const rows: JsonObject[] = [];
  const lists = (await store.itemLists(id)).filter((list) => !isPartOfItem({ program }, list));
  for (const list of lists)
    for (let after: string | undefined; ;) {
      const items = await store.selectItems(id, { list, query: {}, limit: page, ...defined({ after }) });
      rows.push(...items.map((item) => maskSecrets(rowOf(item), program, state)));
      after = items.at(-1)?.order;
      if (items.length < page) break;
    }
  return rows;
}

function rowOf({ list, id, status, reason, label, attempts, dependsOn, data }: Item): JsonObject {
  const title = isObject(data) && typeof data["title"] === "string" ? data["title"] : undefined;
  const tries = attempts > 1 ? attempts : undefined;
  return { id, list, status, ...defined({ reason, label, title, attempts: tries, depends_on: dependsOn && [...dependsOn] }) };
}
