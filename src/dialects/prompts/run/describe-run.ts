import { counted, defined, type Json, type JsonObject } from "../../../base/index.ts";
import { maskSecrets, type EngineContext, type RunHandle } from "../../../engine/index.ts";
import { itemStatuses, type ItemStatus } from "../../../program/index.ts";
import { logsFolder } from "../definition/index.ts";
import { listArtifacts, type Artifacts } from "./artifacts.ts";
import { errorText, lostLines, lostText, type LostOfNode } from "./lost-items.ts";
import { lostItems, nodeRows } from "./node-rows.ts";

/** What a status says of a run of a chain beside what all runs have. */
export async function describeRun(
  engine: EngineContext,
  run: string,
): Promise<{ readonly data: JsonObject; readonly artifacts: Artifacts | undefined; readonly nodes: readonly string[] }> {
  const handle = await engine.runs.open(run);
  const { uuid } = handle.state.options;
  const artifacts = await listArtifacts(engine, handle);
  const nodes = await describeNodes(engine, handle);
  const listed = artifacts && { folder: artifacts.folder, files: artifacts.files.map((file) => ({ ...file })) };
  const data = defined({ workflow_id: uuid, nodes: nodes?.data, artifacts: listed, log: uuid && `${logsFolder}/${uuid}.jsonl` });
  return { data, artifacts, nodes: nodes?.lines ?? [] };
}

/**
 * How many nodes of a graph have come how far, those of groups not among them, why some were skipped or failed, and what was lost of those
 * that are done.
 */
async function describeNodes(
  engine: EngineContext,
  handle: RunHandle,
): Promise<{ readonly data: JsonObject; readonly lines: readonly string[] } | undefined> {
  const rows = (await nodeRows(engine, handle))?.filter(({ group }) => group === undefined);
  if (rows === undefined) return undefined;
  const count = (wanted: ItemStatus): number => rows.filter(({ status }) => status === wanted).length;
  const counts = Object.fromEntries(itemStatuses.map((status) => [status, count(status)])) as Readonly<Record<ItemStatus, number>>;
  const others = itemStatuses.filter((status) => status !== "completed" && counts[status] > 0);
  const lost = await lostItems(engine, handle);
  const words = [
    `${counts.completed} of ${counted(rows.length, "node")} done`,
    ...others.map((each) => `${counts[each]} ${statusWords[each]}`),
    ...lost.map(lostText),
  ];
  const passed = rows.flatMap(({ id, status, reason = "" }) =>
    status === "skipped" || status === "failed" ? [{ id, status, reason }] : [],
  );
  const lines = [
    `${words.join(", ")}.`,
    ...passed.map(({ id, status, reason }) => `  ${id} ${status}: ${errorText(reason)}`),
    ...lost.flatMap((each) => lostLines(each, lostShown)).map((line) => `  ${line}`),
  ];
  const data = {
    total: rows.length,
    ...counts,
    ...(passed.length === 0 ? {} : { passed }),
    ...(lost.length === 0 ? {} : { lost: lostData(lost) }),
  };
  return maskSecrets({ data, lines }, handle.program, handle.state);
}

/** More are in the data, and in the state of the run. */
const lostShown = 50;

function lostData(lost: readonly LostOfNode[]): Json {
  return lost.map(({ node, total, items }) => ({ node, total, items: items.map((each) => ({ ...each })) }));
}

const statusWords: Readonly<Record<ItemStatus, string>> = {
  pending: "waiting",
  in_progress: "under way",
  completed: "done",
  skipped: "skipped",
  failed: "failed",
};
