import { type JsonObject, fieldOf } from "../../../base/index.ts";
import type { Item } from "../../../program/index.ts";
import type { EngineContext } from "../../../engine/index.ts";

const mostCompared = 5_000;

/** Open instances of the same type whose text is the same but for spaces. Only as many as can be looked through quickly. */
export async function identicalTo({ store }: EngineContext, run: string, list: string, item: JsonObject): Promise<readonly Item[]> {
  const plain = (text: string): string => text.replace(/\s+/g, " ");
  const type = fieldOf(item, "type");
  const text = plain(fieldOf(item, "text"));
  const rows = await store.selectItems(run, {
    list,
    query: { status: "pending", facets: { kind: "instance", type } },
    limit: mostCompared,
  });
  return rows.filter((row) => row.id !== item["id"] && plain(fieldOf(row.data, "text")) === text);
}
