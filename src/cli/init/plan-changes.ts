import { lstat, readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { failure } from "../codes.ts";
import { refuseLinkOut } from "../refuse-link-out.ts";
import { addBlock, hasBlock, hasTable, removeBlock } from "./edit-toml.ts";
import { addEntry, readEntry, removeEntry, type JsonSlot } from "./edit-json.ts";
import { entryName, type Client } from "./clients.ts";
import { startsWaymark } from "./server-command.ts";

/** One file as it is and as it should be; `undefined` means that there is no file. Equal texts mean that nothing is to be done. */
export interface Change {
  readonly client?: string;
  /** Relative to the workspace, with `/`. */
  readonly file: string;
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly note?: string;
}

/** The change that makes a client start the server. */
export async function planAddition(workspace: string, client: Client, command: readonly string[]): Promise<Change> {
  const change = await readClientFile(workspace, client);
  const { file, before } = change;
  const { format } = client;
  if (format.kind === "toml") {
    const byHand = before !== undefined && !hasBlock(before) && hasTable(before, format.table);
    const after = addBlock(before, format.table, format.lines(command), file);
    return { ...change, after, ...(byHand ? { note: "It has an entry of its own already, which stays." } : {}) };
  }
  return { ...change, after: addEntry(before, slotOf(file, format.container), format.entry(command)) };
}

/** The change that takes out what an addition put in, and nothing else. */
export async function planRemoval(workspace: string, client: Client): Promise<Change> {
  const change = await readClientFile(workspace, client);
  const { file, before } = change;
  if (before === undefined) return { ...change, after: undefined };
  const { format } = client;
  if (format.kind === "toml") {
    const byHand = !hasBlock(before) && hasTable(before, format.table);
    return { ...change, after: removeBlock(before), ...(byHand ? { note: "Its entry was written by hand, so it stays." } : {}) };
  }
  const slot = slotOf(file, format.container);
  const held = readEntry(before, slot);
  if (held !== undefined && !startsWaymark(held))
    return { ...change, after: before, note: `Its entry \`${entryName}\` starts something else, so it stays.` };
  return { ...change, after: removeEntry(before, slot) };
}

function slotOf(file: string, container: string): JsonSlot {
  return { file, container, name: entryName };
}

async function readClientFile(workspace: string, { name, files }: Client): Promise<Omit<Change, "after">> {
  for (const file of files) {
    const found = await readPlain(workspace, file);
    if (found !== undefined) return { client: name, file, ...found };
  }
  const [first = ""] = files;
  return { client: name, file: first, path: join(workspace, first), before: undefined };
}

/** A file and its real path; a link that leads out of the workspace is refused, whether the file is there or not. */
export async function readPlain(workspace: string, file: string): Promise<{ readonly path: string; readonly before: string } | undefined> {
  const path = join(workspace, file);
  await refuseLinkOut(workspace, path, "CLI_INIT_FILE");
  if ((await lstat(path).catch(() => undefined)) === undefined) return undefined;
  try {
    const real = await realpath(path);
    const bytes = await readFile(real);
    const before = bytes.toString("utf8");
    if (!Buffer.from(before, "utf8").equals(bytes)) throw failure("CLI_INIT_FILE", `\`${file}\` is not UTF-8 text. It was not changed.`);
    return { path: real, before };
  } catch (error) {
    if (error instanceof Error && "syscall" in error) throw failure("CLI_INIT_FILE", `\`${file}\` cannot be read: ${error.message}.`);
    throw error;
  }
}
