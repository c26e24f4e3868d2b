import { lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const prefix = "waymark-agent-";
/** What is in it is read when an agent is started. */
const leftMs = 24 * 60 * 60 * 1000;

/** A folder for an agent, which its maker removes. Older ones of this user go with the next one that is made: their makers were killed. */
export async function makeAgentFolder(within: string = tmpdir()): Promise<string> {
  const made = await mkdtemp(join(within, prefix));
  const { mtimeMs: now, uid } = await lstat(made);
  for (const name of await readdir(within)) {
    const path = join(within, name);
    const found = name.startsWith(prefix) ? await lstat(path).catch(() => undefined) : undefined;
    if (found?.isDirectory() !== true || found.uid !== uid || now - found.mtimeMs < leftMs) continue;
    // Another process may remove it at the same time.
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
  return made;
}
