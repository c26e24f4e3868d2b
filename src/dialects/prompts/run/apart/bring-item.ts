import { textOf } from "../../../../base/index.ts";
import { quoteList } from "../../../../source/index.ts";
import { bringCommit, commitWork, done, engineActor, git, inTurn, refused, type Performed } from "../../../../engine/index.ts";
import { carryOut } from "./carry-files.ts";
import { itemOf, type ApartJob, type Item, type ItemRecord } from "./item-record.ts";
import { outerPlace, worktreeOf, type OuterPlace } from "./outer-place.ts";
import { keepBranch, keepWork, keptText } from "./put-away.ts";

/** How often a conflict is given back. */
const mostRounds = 4;

/**
 * Brings what an item changed into the folder of the run, once. One that conflicts is given back with the files, a few times. What is not
 * brought in is kept on a branch.
 */
export async function bringItem(job: ApartJob): Promise<Performed> {
  const { engine, folder, effect } = job;
  const item = itemOf(job);
  const place = await outerPlace(engine, folder);
  return inTurn(engine, async () => {
    const { record } = item;
    if (record === undefined) {
      const branches = await keepWork(place, item, `${item.title} (not finished)`, item.index);
      const error = [textOf(effect.args["failed"] ?? ""), ...branches.map(keptText)].join(" ");
      return done({ record: { brought: true }, error });
    }
    const files = record.commit === null ? undefined : await pick(job, place, { ...record, commit: record.commit });
    if (files !== undefined) return conflicting(job, place, { item, record, files });
    const { uuid = "" } = job.handle.state.options;
    const below = effect.args["alone"] === true ? "" : `/${item.block}/${item.index + 1}`;
    await carryOut(engine, { uuid, given: record.given, below }, [worktreeOf(place, record.name).inner, folder]);
    return done({ record: { ...record, brought: true }, error: null });
  });
}

/** The files that conflict; undefined when it is in. */
async function pick(
  { handle }: ApartJob,
  place: OuterPlace,
  { commit, mark, base }: ItemRecord & { readonly commit: string },
): Promise<readonly string[] | undefined> {
  // Of one that a crash interrupted. Whatever else is under way there is not ours.
  const { text } = await git(place, "log", "-1", "--format=%B", "CHERRY_PICK_HEAD", "--");
  if (text.split("\n").some((line) => line.startsWith(`Waymark-Item: ${handle.id} `))) await git(place, "cherry-pick", "--abort");
  // Nodes beside this one may have changed something meanwhile, and git picks into committed files only.
  await commitWork(place, { message: ["What was done beside it", `Waymark-Node: ${handle.id}`], left: place.left });
  const files = await bringCommit(place, { commit, mark, since: base });
  if (files === undefined || files.length > 0) return files;
  throw refused(
    "PROMPTS_GIT_FAILED",
    `git cannot bring the commit ${commit} into \`${place.folder}\`.`,
    "Look at the folder with git, then retry the run.",
  );
}

interface Clash {
  readonly item: Item;
  readonly record: ItemRecord;
  readonly files: readonly string[];
}

async function conflicting({ engine, scope }: ApartJob, place: OuterPlace, { item, record, files }: Clash): Promise<Performed> {
  const { block, index, title, conflict } = item;
  if (conflict.rounds < mostRounds)
    return done({ record: { ...record, conflict: { files: [...files], rounds: conflict.rounds + 1 } }, error: null });
  const branch = await keepBranch(place, worktreeOf(place, record.name).worktree, record.commit ?? "HEAD");
  const message = `\`${title}\` conflicts with what was brought in before it, in ${quoteList(files, "and")}, and ${mostRounds} tries did not resolve that. ${keptText(branch)}`;
  // A retry of the run gives it back as often again.
  const { conflict: _over, ...fresh } = record;
  const updates = [{ keys: ["apart", block, String(index)], value: fresh, tier: "raw", op: "set" }] as const;
  const at = await engine.store.now();
  return {
    outcome: { ok: false, code: "PROMPTS_CONFLICT", message, final: true },
    before: [{ type: "set", scope, updates, at, by: engineActor(engine.host.processId) }],
  };
}
