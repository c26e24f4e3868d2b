import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { workflowPlaces } from "../bin/dialect-parts.ts";
import { dialects, runtimes } from "../../test/support/all-dialects.ts";
import { createHost, createLog, loadConfig } from "../host/index.ts";
import type { Definitions, Host } from "../ports/index.ts";
import { Catalog } from "./catalog.ts";
import { coreLeaves } from "./core-leaves/core-leaves.ts";
import { LeafTable } from "./runtime.ts";
import { defaultSettings } from "./settings.ts";
import { lineOfRun, whatItRuns } from "./permission.ts";

/**
 * The hash that permissions are given for, of every workflow that comes with the package. What a person allowed stays allowed, so a
 * hash of `test/golden/permissions.json` changes only together with its definition: then delete its line and run this test with UPDATE=1.
 */
const root = resolve(import.meta.dirname, "../..");
const golden = join(root, "test/golden/permissions.json");

interface Pin {
  readonly hash: string;
  readonly runs: readonly string[];
}

/** The hash covers the places of blocks, so the repository stands where it stands on every machine. */
function moved(definitions: Definitions): Definitions {
  const away = <F extends { readonly path: string; readonly folder?: string; readonly root?: string }>(file: F): F => ({
    ...file,
    path: file.path.replace(root, "/pinned"),
    ...(file.folder === undefined ? {} : { folder: file.folder.replace(root, "/pinned") }),
    ...(file.root === undefined ? {} : { root: file.root.replace(root, "/pinned") }),
  });
  const back = (path: string): string => path.replace("/pinned", root);
  return {
    find: async () => (await definitions.find()).map(away),
    read: async (reference, from, folder) => {
      const file = await definitions.read(reference, back(from), back(folder));
      return file === undefined ? undefined : away(file);
    },
    texts: (folder) => definitions.texts(folder),
    folders: () => definitions.folders(),
  };
}

/** Bundled workflows are the same in every workspace, so they are loaded in one of them. */
async function pinsOf(workspace: string, bundled: boolean): Promise<Record<string, Pin>> {
  const base = mkdtempSync(join(tmpdir(), "waymark-pins-"));
  const env = { HOME: base, XDG_DATA_HOME: join(base, "data"), XDG_CONFIG_HOME: join(base, "config") };
  const { config } = await loadConfig({ workspace, env, flags: {} });
  const options = {
    workspace,
    config,
    bundledFolder: bundled ? join(root, "workflows") : join(base, "none"),
    storeFolder: join(base, "store"),
    env,
  };
  const local = await createHost({ ...options, places: workflowPlaces, log: createLog({ level: "error" }) });
  const host: Host = { ...local, workspace: local.workspace.replace(root, "/pinned"), definitions: moved(local.definitions) };
  const leaves = new LeafTable(runtimes, coreLeaves);
  const catalog = new Catalog({ host, servers: [], leaves, dialects: () => Promise.resolve(dialects) });
  // As if a server were there: every line of a program is pinned.
  const context = { leaves, catalog, settings: defaultSettings, host: { ...host, tools: { ...host.tools, configured: true } } };
  const pins: Record<string, Pin> = {};
  try {
    for (const { name, source, shadowed } of await catalog.list()) {
      const { program, hash } = await catalog.load(name);
      const of = source === "bundled" ? "bundled" : basename(workspace);
      if (!shadowed && program !== undefined) pins[`${of}/${name}`] = { hash, runs: whatItRuns(context, program).map(lineOfRun) };
    }
  } finally {
    await local.close();
    rmSync(base, { recursive: true, force: true });
  }
  return pins;
}

const examples = readdirSync(join(root, "examples")).filter((name) => statSync(join(root, "examples", name)).isDirectory());

test("what was allowed stays allowed: every bundled workflow and example has the permission hash it had", async () => {
  const found: Record<string, Pin> = {};
  for (const [index, name] of examples.entries()) Object.assign(found, await pinsOf(join(root, "examples", name), index === 0));
  const known = existsSync(golden) ? (JSON.parse(readFileSync(golden, "utf8")) as Record<string, Pin>) : {};
  if (process.env["UPDATE"] !== undefined) {
    const lacking = Object.fromEntries(Object.entries(found).filter(([key]) => known[key] === undefined));
    writeFileSync(golden, `${JSON.stringify({ ...known, ...lacking }, null, 2)}\n`);
    return;
  }
  expect(Object.keys(found).length).toBeGreaterThan(20);
  expect(found).toEqual(known);
});
