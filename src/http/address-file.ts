import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { addressFileFailed } from "./codes.ts";

/** What the server's user needs to reach it; only they can read the file. */
export interface Address {
  readonly url: string;
  readonly mcp_url: string;
  readonly pid: number;
  readonly workspace: string;
  /** For agents: the protocol, and reading. */
  readonly agent_token: string;
  /** For people: their answers count as a person's. Never give it to an agent. */
  readonly person_token: string;
}

export async function writeAddress(file: string, address: Address): Promise<void> {
  const beside = `${file}.${randomUUID()}.tmp`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(beside, `${JSON.stringify(address, null, 2)}\n`, { flag: "wx", mode: 0o600 });
    await rename(beside, file);
  } catch (cause) {
    await rm(beside, { force: true }).catch(() => undefined);
    throw addressFileFailed(file, cause);
  }
}

/** Removes the file unless another server has taken its place. */
export async function removeAddress(file: string, address: Address): Promise<void> {
  try {
    const held = JSON.parse(await readFile(file, "utf8")) as Partial<Address>;
    if (held.agent_token === address.agent_token) await rm(file, { force: true });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") await rm(file, { force: true });
  }
}
