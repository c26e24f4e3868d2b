import { hash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";

/** Neither follows a link in the last name nor waits for the other end of a pipe. Windows has neither flag. */
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Where opening follows links, the target of a link must be found before. */
export const opensLinks: boolean = constants.O_NOFOLLOW === undefined;

export interface OpenFile {
  readonly handle: number;
  readonly facts: Stats;
}

/** Opens a regular file, hands it to `use` and closes it. Throws what the system throws; `EINVAL` when it is not a regular file. */
export function withRegularFile<T>(place: string, use: (file: OpenFile) => T): T {
  const handle = openSync(place, flags);
  try {
    const facts = fstatSync(handle);
    if (!facts.isFile()) throw Object.assign(new Error("not a regular file"), { code: "EINVAL" });
    return use({ handle, facts });
  } finally {
    closeSync(handle);
  }
}

/** All bytes of an open file, as many as it has by the time they are read. */
export function readWhole({ handle, facts }: OpenFile): Buffer {
  const parts: Buffer[] = [];
  // One byte more than it should have: a file that grows meanwhile is read on, not cut.
  for (let room = facts.size + 1, at = 0; ; room = 65_536) {
    const part = Buffer.allocUnsafe(room);
    const count = readSync(handle, part, 0, room, at);
    if (count === 0) break;
    parts.push(part.subarray(0, count));
    at += count;
  }
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}

/** sha256 in lower-case hex. */
export function hashOf(bytes: Uint8Array): string {
  return hash("sha256", bytes, "hex");
}
