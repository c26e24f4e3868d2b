import { defined, type JsonObject } from "../../../base/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import { logsFolder } from "../definition/index.ts";
import { listArtifacts, type Artifacts } from "./artifacts.ts";

/** What a status says of a run of a chain beside what all runs have. */
export async function describeRun(
  engine: EngineContext,
  run: string,
): Promise<{ readonly data: JsonObject; readonly artifacts: Artifacts | undefined }> {
  const handle = await engine.runs.open(run);
  const { uuid } = handle.state.options;
  const artifacts = await listArtifacts(engine, handle);
  const listed = artifacts && { folder: artifacts.folder, files: artifacts.files.map((file) => ({ ...file })) };
  return { data: defined({ workflow_id: uuid, artifacts: listed, log: uuid && `${logsFolder}/${uuid}.jsonl` }), artifacts };
}
