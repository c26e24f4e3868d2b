import { isWaymarkError, own, type JsonObject } from "../../../../base/index.ts";
import { refused, type EngineContext } from "../../../../engine/index.ts";
import { artifactsFolder, stateFolder } from "../../definition/index.ts";

/** Artifacts and what workflows keep are beside what git has, so they are carried into worktrees and back. */
function carried(uuid: string): readonly string[] {
  return [artifactsFolder(uuid), stateFolder];
}

/** Gives a worktree what is there so far; answers its hashes. */
export async function carryIn(engine: EngineContext, uuid: string, [from, to]: readonly [string, string]): Promise<JsonObject> {
  const given: Record<string, string> = {};
  for (const path of await filesIn(engine, from, carried(uuid))) {
    const hash = await copy(engine, { root: from, path }, { root: to, path });
    if (hash !== undefined) given[path] = hash;
  }
  return given;
}

/** Brings back what is new or different since. `below`: the folder of the artifacts that those of this item come to. */
export async function carryOut(
  engine: EngineContext,
  { uuid, given, below }: { readonly uuid: string; readonly given: JsonObject; readonly below: string },
  [from, to]: readonly [string, string],
): Promise<void> {
  const artifacts = artifactsFolder(uuid);
  for (const path of await filesIn(engine, from, carried(uuid))) {
    const held = await engine.workspace.read(from, path);
    if (held === undefined || held.hash === own(given, path)) continue;
    const target = path.startsWith(`${artifacts}/`) ? `${artifacts}${below}${path.slice(artifacts.length)}` : path;
    await copy(engine, { root: from, path }, { root: to, path: target });
  }
}

interface FilePlace {
  readonly root: string;
  readonly path: string;
}

/** Answers the hash of what was copied. */
async function copy({ workspace }: EngineContext, from: FilePlace, to: FilePlace): Promise<string | undefined> {
  const [file, held] = [await workspace.read(from.root, from.path), await workspace.read(to.root, to.path)];
  if (file === undefined || file.hash === held?.hash) return file?.hash;
  const written = await workspace.writeFile(to.root, to.path, file.bytes, held?.hash ?? null);
  if (written.status === "failed")
    throw refused("PROMPTS_FOLDER", `${to.root}/${to.path} cannot be written: ${written.reason}`, "Make room there, then retry the run.");
  return file.hash;
}

/** None of a folder that is not there. */
async function filesIn({ workspace }: EngineContext, root: string, folders: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of folders) {
    const scope = { kind: "directory", path } as const;
    const request = { root, patterns: ["**"], exclusions: [], scope, priority: [], gitignore: false };
    try {
      found.push(...(await workspace.inventory(request)).files.map((file) => file.path));
    } catch (error) {
      if (!isWaymarkError(error) || error.code !== "WORKSPACE_MISSING") throw error;
    }
  }
  return found;
}
