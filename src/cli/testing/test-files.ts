import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { defined } from "../../base/index.ts";
import type { Session } from "../session.ts";

/** Tests of a workflow are beside it under this name; they are not workflows themselves. */
export function isTestFile(path: string): boolean {
  return /\.waymark-test\.ya?ml$/i.test(path);
}

const passedOver = new Set(["node_modules", "dist", "build", "target", "coverage"]);
const searchedDots = new Set([".waymark", ".aromcp"]);
const deepest = 12;

/** Every test file of a project: those below its folder, and those in the folders that hold its workflows, hidden or not. */
export async function testFilesOf({ world, flags, workspace }: Pick<Session, "world" | "flags" | "workspace">): Promise<readonly string[]> {
  const engine = await world.openTestEngine({
    workspace,
    ...defined({ logFile: flags.logFile }),
    host: (host) => host,
    store: (store) => store,
  });
  try {
    const own = (await engine.context.host.definitions.find()).filter(({ source }) => source === "project");
    const folders = new Set([workspace, ...own.map(({ folder }) => folder)]);
    const found = await Promise.all([...folders].map((folder) => findTestFiles(folder)));
    return [...new Set(found.flat())].toSorted();
  } finally {
    await engine.close();
  }
}

/** Every test file below a folder, sorted; dependencies, products and hidden folders are passed over, also the store. */
async function findTestFiles(folder: string, depth = 0): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found: string[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isFile() && isTestFile(entry.name)) found.push(path);
    if (!entry.isDirectory() || depth >= deepest || passedOver.has(entry.name)) continue;
    if (entry.name.startsWith(".") && !searchedDots.has(entry.name)) continue;
    if (entry.name === "store" && folder.endsWith(".waymark")) continue;
    found.push(...(await findTestFiles(path, depth + 1)));
  }
  return found;
}
