import { isWaymarkError } from "../../../base/index.ts";
import type { EngineContext, RunHandle } from "../../../engine/index.ts";
import { artifactsFolder } from "../definition/index.ts";

export interface Artifacts {
  /** Relative to the workspace; absolute where the run works on another folder. */
  readonly folder: string;
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
}

/** What a run has left in its folder for artifacts so far; undefined of a run without one. */
export async function listArtifacts(engine: EngineContext, { state }: Pick<RunHandle, "state">): Promise<Artifacts | undefined> {
  const { uuid, folder: own } = state.options;
  if (uuid === undefined) return undefined;
  const path = artifactsFolder(uuid);
  const files = await filesBelow(engine, own ?? engine.host.workspace, path);
  return { folder: own === undefined ? path : `${own}/${path}`, files };
}

/** None where the folder of the run is gone: a worktree is removed when its run is over. */
async function filesBelow(engine: EngineContext, root: string, folder: string): Promise<Artifacts["files"]> {
  const scope = { kind: "directory", path: folder } as const;
  try {
    const request = { root, patterns: ["**"], exclusions: [], scope, priority: [], gitignore: false };
    const { files } = await engine.workspace.inventory(request);
    return files.map(({ path, size }) => ({ path: path.slice(folder.length + 1), bytes: size }));
  } catch (error) {
    if (isWaymarkError(error) && error.code === "WORKSPACE_MISSING") return [];
    throw error;
  }
}
