import { counted } from "../../../base/index.ts";
import { badValue } from "../../../cli/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import type { FileScan } from "../../../ports/index.ts";
import { changeBase, changedFiles, changedLines, filesAt, onChangedLines } from "../run/index.ts";
import type { ScanPlace } from "./scan-place.ts";

/** What was asked for with `--since` and `--changed-lines`. */
export interface ChangeWishes {
  readonly since?: string;
  readonly changedLines?: boolean;
}

/** The same place with no other files than those that were changed. */
export interface ChangedPlace extends ScanPlace {
  /** How many there are and since when, for people. */
  readonly said: string;
  /** What is left of the scan of a file: with `--changed-lines` what is on those. */
  readonly left: (scan: FileScan) => FileScan;
}

/** Places as they are where nothing of that was asked for. Throws what makes it impossible. */
export async function changedPlaces(
  context: EngineContext,
  places: readonly ScanPlace[],
  wishes: ChangeWishes,
): Promise<readonly (ScanPlace & Partial<ChangedPlace>)[]> {
  if (wishes.since === undefined && wishes.changedLines !== true) return places;
  if (wishes.since === "") throw badValue("`--since` is empty.", "Name a branch, tag or commit, such as `--since main`.");
  return Promise.all(places.map((place) => changedPlace(context, place, wishes)));
}

async function changedPlace(context: EngineContext, place: ScanPlace, wishes: ChangeWishes): Promise<ChangedPlace> {
  const git = { context, folder: place.root };
  const base = await changeBase(git, wishes.since);
  const { paths, submodules } = await changedFiles(git, base);
  const inside = filesAt(paths, place.paths);
  const lines = wishes.changedLines === true ? await changedLines(git, base) : undefined;
  const others =
    submodules.length === 0
      ? ""
      : ` ${counted(submodules.length, "submodule")} changed too, which ${submodules.length === 1 ? "is a repository of its" : "are repositories of their"} own: ${submodules.join(", ")}.`;
  return {
    ...place,
    paths: inside,
    listed: true,
    said: `${counted(inside.length, "file")} changed since \`${base.since}\` (${base.base.slice(0, 10)}).${others}`,
    left: lines === undefined ? (scan) => scan : (scan) => onChangedLines(scan, lines),
  };
}
