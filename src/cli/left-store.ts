import { existsSync } from "node:fs";
import { join } from "node:path";
import { placeWords } from "./printed-lines.ts";
import type { Session } from "./session.ts";

/** Says that there are runs in the store's folder which nobody sees, because runs are in a database now. */
export async function tellLeftStore({ world, flags, givenPlace, out }: Session): Promise<void> {
  const { values } = await world.loadConfig(flags);
  const valueOf = (key: string): unknown => values.find((each) => each.key === key)?.value ?? undefined;
  const folder = valueOf("store");
  if (typeof folder !== "string" || valueOf("store.url") === undefined || !existsSync(join(folder, "waymark.db"))) return;
  out.hint(`Runs from before the database are in ${folder}: waymark ${placeWords({ ...givenPlace, store: folder })} runs`);
}
