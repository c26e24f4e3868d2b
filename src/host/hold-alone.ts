import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { withFileLock } from "./file-lock.ts";
import { isProcessGone } from "./process-id.ts";

/** What one process of this user on this computer may hold at a time. */
export type Held = { readonly release: () => Promise<void> } | { readonly holder: string };

/** Holds what the file is about, unless another living process does: then answers the id of that process. */
export async function holdAlone(file: string, processId: string): Promise<Held> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  let other: string | undefined;
  const isLocked = await withFileLock(`${file}.lock`, async () => {
    const holder = await readFile(file, "utf8").catch(() => "");
    if (holder !== "" && !isProcessGone(holder)) other = holder;
    else await writeFile(file, processId, { mode: 0o600 });
  });
  if (!isLocked) return { holder: "" };
  if (other !== undefined) return { holder: other };
  return {
    release: async () => {
      await withFileLock(`${file}.lock`, async () => {
        if ((await readFile(file, "utf8").catch(() => "")) === processId) await rm(file, { force: true });
      });
    },
  };
}
