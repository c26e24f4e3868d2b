import type { EngineContext, RunHandle } from "../../../engine/index.ts";
import { artifactsFolder } from "../definition/index.ts";

export interface Artifacts {
  /** Relative to the workspace; absolute where the run works on another folder. */
  readonly folder: string;
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
}

/** What a run has left in its folder for artifacts so far; undefined of a run without one. */
export async function listArtifacts(engine: EngineContext, { state }: Pick<RunHandle, "state">): Promise<Artifacts | undefined> {
  const { uuid, folder: root = engine.host.workspace } = state.options;
  if (uuid === undefined) return undefined;
  const folder = artifactsFolder(uuid);
  const { files } = await engine.workspace.inventory({
    root,
    patterns: ["**"],
    exclusions: [],
    scope: { kind: "directory", path: folder },
    priority: [],
    gitignore: false,
  });
  return {
    folder: root === engine.host.workspace ? folder : `${root}/${folder}`,
    files: files.map(({ path, size }) => ({ path: path.slice(folder.length + 1), bytes: size })),
  };
}
