import { isObject, textOf } from "../../../../base/index.ts";
import {
  commitWork,
  done,
  foldersOf,
  gitDirOf,
  inTurn,
  makeApart,
  nothing,
  refused,
  removeApart,
  type EffectLeaf,
} from "../../../../engine/index.ts";
import { artifactsFolder, type PromptsDefinition } from "../../definition/index.ts";
import { bringItem } from "./bring-item.ts";
import { carryIn } from "./carry-files.ts";
import { apartOf, itemOf, type ApartJob } from "./item-record.ts";
import { isOf, nameFor, outerPlace, worktreeOf } from "./outer-place.ts";
import { keepWork } from "./put-away.ts";

type Perform = EffectLeaf<PromptsDefinition>["perform"];

/** What nodes before it left uncommitted is committed, so that worktrees begin with it; what an earlier try of the node left is put away. */
const commitRest: Perform = async (job) => {
  const { engine, handle, folder } = job;
  const item = itemOf(job);
  const place = await outerPlace(engine, folder);
  return inTurn(engine, async () => {
    await keepWork(place, item, `${item.node}: given up`);
    await removeApart(place, isOf(item));
    const message = [`What was done before ${item.node}`, `Waymark-Node: ${handle.id} ${item.node}`];
    return done({ commit: (await commitWork(place, { message, left: place.left })) ?? null });
  });
};

/** Makes the worktree of a strand at the newest result, and gives it the artifacts so far. */
const openItem: Perform = async (job) => {
  const { engine, handle, folder, effect } = job;
  const { record, conflict, index, ...of } = itemOf(job);
  const { uuid = "" } = handle.state.options;
  const place = await outerPlace(engine, folder);
  const name = nameFor(of, index, effect.id);
  const { worktree, inner } = worktreeOf(place, name);
  const base = await makeApart(place, worktree, conflict.files.length > 0 ? (record?.commit ?? undefined) : undefined);
  if (place.prefix !== "") await engine.workspace.makeFolder(worktree, place.prefix.slice(0, -1));
  const given = await carryIn(engine, uuid, [folder, inner]);
  const [artifacts, state] = [artifactsFolder(uuid), textOf(effect.args["state"]).slice(folder.length + 1)];
  for (const path of [artifacts, state]) await engine.workspace.makeFolder(inner, path);
  return done({ folder: inner, name, base, given, artifacts: `${inner}/${artifacts}`, state: `${inner}/${state}` });
};

/** The work of a strand becomes one commit of its worktree. */
const keepItem: Perform = async (job) => {
  const { engine, handle, effect } = job;
  const { record, title, conflict } = itemOf(job);
  const { name, base, given } = apartOf(job);
  const [outer] = foldersOf(handle.state, effect.strand).slice(-2, -1);
  if (outer === undefined) throw refused("PROMPTS_GIT_FAILED", "The worktree of the strand is gone.");
  const place = await outerPlace(engine, outer);
  const { worktree } = worktreeOf(place, name);
  const unsolved = await withMarkers(job, worktree, conflict.files);
  if (unsolved !== undefined) {
    const message = `\`${unsolved}\` still has the markers of a conflict.`;
    return { outcome: { ok: false, code: "PROMPTS_CONFLICT", message, final: true } };
  }
  const mark = `Waymark-Item: ${handle.id} ${name}`;
  const own = { ...place, folder: worktree, gitDir: await gitDirOf(place, worktree) };
  const commit = await commitWork(own, { message: [title, mark], left: place.left, base });
  // The artifacts of an item are those of its first worktree.
  return done({ ...(isObject(record) ? record : { name, given }), commit: commit ?? null, base, mark });
};

/** The first file that an agent left in conflict. */
async function withMarkers({ engine }: ApartJob, worktree: string, files: readonly string[]): Promise<string | undefined> {
  for (const path of files) {
    const found = await engine.workspace.readText(worktree, path);
    if (found !== undefined && /^(?:<{7} |>{7} )/m.test(found.text)) return path;
  }
  return undefined;
}

/** All items are settled: what is only in their worktrees is on branches. */
const clearApart: Perform = async (job) => {
  const { engine, folder } = job;
  const place = await outerPlace(engine, folder);
  await inTurn(engine, () => removeApart(place, isOf(itemOf(job))));
  return done(null);
};

/** What calls in worktrees of their own do in git. */
export const apartLeaves: Readonly<Record<string, EffectLeaf<PromptsDefinition>>> = {
  prompts_rest: { runs: nothing, perform: commitRest },
  prompts_apart: { runs: nothing, perform: openItem, inWorktree: true },
  prompts_keep: { runs: nothing, perform: keepItem },
  prompts_bring: { runs: nothing, perform: bringItem },
  prompts_clear: { runs: nothing, perform: clearApart },
};
