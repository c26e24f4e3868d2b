import { realpath } from "node:fs/promises";
import { defined, type JsonObject } from "../../../base/index.ts";
import { badValue, type Given, type Session } from "../../../cli/index.ts";
import { scanPlaces } from "./scan-place.ts";

/** The inputs for the files that were typed: folders, files, a list on stdin, or those that were changed. */
export async function startInputs(session: Session, typed: readonly string[], options: Given["options"]): Promise<JsonObject> {
  const { since, changedLines = false } = options as { readonly since?: string; readonly changedLines?: boolean };
  if (since === "") throw badValue("`--since` is empty.", "Name a branch, tag or commit, such as `--since main`.");
  const { paths, listed } = typed.length === 0 ? { paths: [], listed: false } : await pathsOf(session, typed);
  return {
    options: {
      ...defined({ since }),
      ...(changedLines ? { changed_lines: true } : {}),
      ...(typed.length === 0 ? {} : { paths }),
      ...(listed ? { listed } : {}),
    },
  };
}

async function pathsOf(session: Session, typed: readonly string[]): Promise<{ readonly paths: string[]; readonly listed: boolean }> {
  const workspace = await realpath(session.workspace);
  const places = await scanPlaces(session, typed);
  const other = places.find(({ root }) => root !== workspace);
  if (other !== undefined)
    throw badValue(
      `\`${other.root}\` is outside of the workspace \`${workspace}\`, and a run works on its workspace.`,
      "Name paths in the workspace, or work in the other one: `waymark -C <folder> start ...`.",
    );
  return { paths: places.flatMap(({ paths }) => paths), listed: places.some(({ listed }) => listed) };
}
