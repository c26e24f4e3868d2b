import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * What takes long to make and is only looked at: made once for all workers of the tests, in whose folder it is kept as JSON. Two that need it
 * at the same moment both make it.
 */
export async function shareMade<T>(name: string, make: () => Promise<T>): Promise<T> {
  const folder = process.env["WAYMARK_TEST_MADE"];
  const path = folder === undefined ? undefined : join(folder, `${name}.json`);
  const found = path === undefined ? undefined : await readFile(path, "utf8").catch(() => undefined);
  if (found !== undefined) return JSON.parse(found) as T;
  const text = JSON.stringify(await make());
  if (path !== undefined) {
    const own = `${path}.${process.pid}`;
    await writeFile(own, text);
    await rename(own, path);
  }
  return JSON.parse(text) as T;
}
