import { realpath } from "node:fs/promises";
import { dirname, relative, sep } from "node:path";
import { failure } from "./codes.ts";

/** Refuses to write where a symbolic link leads out of the workspace: what is there belongs to others. */
export async function refuseLinkOut(workspace: string, path: string, code = "CLI_FILE"): Promise<void> {
  for (let place = path; place !== dirname(place); place = dirname(place)) {
    const real = await realpath(place).catch(() => undefined);
    if (real === undefined) continue;
    const way = relative(await realpath(workspace), real);
    if (way !== ".." && !way.startsWith(`..${sep}`)) return;
    throw failure(
      code,
      `\`${path}\` leads out of the workspace by a symbolic link, to \`${real}\`. Nothing was written.`,
      "Replace the link.",
    );
  }
}
