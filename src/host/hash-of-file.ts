import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

/** The SHA-256 of a file's bytes, in lower-case hex; undefined when it cannot be read. Its path may be relative to the folder. */
export function hashOfFile(folder: string, path: string): string | undefined {
  try {
    return createHash("sha256")
      .update(readFileSync(resolve(folder, path)))
      .digest("hex");
  } catch {
    // Absent, a folder, or not to be read by this user: who needs the content says so.
    return undefined;
  }
}
