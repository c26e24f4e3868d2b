import { lstat, readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { failure } from "../codes.ts";
import { refuseLinkOut } from "../refuse-link-out.ts";
import { addBlock, hasBlock, hasTable, removeBlock } from "./edit-toml.ts";
import { addEntry, readEntry, removeEntry, type JsonSlot } from "./edit-json.ts";
import { addToList, removeFromList } from "./edit-json-list.ts";
import { addYamlEntry, readYamlEntry, removeYamlEntry } from "./edit-yaml.ts";
import { entryName, type Client, type ClientPart } from "./clients.ts";
import { startsWaymark } from "./server-command.ts";

/** One file as it is and as it should be; `undefined` means that there is no file. Equal texts mean that nothing is to be done. */
export interface Change {
  readonly client?: string;
  /** Relative to the workspace, with `/`; one of the user's own as a whole. */
  readonly file: string;
  readonly path: string;
  /** What is empty below it after a removal goes too. */
  readonly root: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly note?: string;
}

/** A file of a client: in the workspace, or in a folder of the user's own. */
export interface PlacedPart {
  readonly client: Client;
  readonly part: ClientPart;
  readonly root: string;
  readonly isOwn: boolean;
}

/** The change that makes a client start the server, or allow its tools. */
export async function planAddition(placed: PlacedPart, command: readonly string[]): Promise<Change> {
  const change = await readClientFile(placed);
  const { file, before } = change;
  const { format } = placed.part;
  switch (format.kind) {
    case "toml": {
      const byHand = before !== undefined && !hasBlock(before) && hasTable(before, format.table);
      const after = addBlock(before, format.table, format.lines(command), file);
      return { ...change, after, ...(byHand ? { note: "It has an entry of its own already, which stays." } : {}) };
    }
    case "list":
      return { ...change, after: addToList(before, slotOf(file, format.container, format.name), format.value) };
    case "yaml":
      return { ...change, after: addYamlEntry(before, slotOf(file, format.container), format.entry(command)) };
    case "json":
      return { ...change, after: addEntry(before, slotOf(file, format.container), format.entry(command)) };
  }
}

/** The change that takes out what an addition put in, and nothing else. */
export async function planRemoval(placed: PlacedPart): Promise<Change> {
  const change = await readClientFile(placed);
  const { file, before } = change;
  if (before === undefined) return { ...change, after: undefined };
  const { format } = placed.part;
  if (format.kind === "toml") {
    const byHand = !hasBlock(before) && hasTable(before, format.table);
    return { ...change, after: removeBlock(before), ...(byHand ? { note: "Its entry was written by hand, so it stays." } : {}) };
  }
  if (format.kind === "list")
    return { ...change, after: removeFromList(before, slotOf(file, format.container, format.name), format.value) };
  const slot = slotOf(file, format.container);
  const held = format.kind === "yaml" ? readYamlEntry(before, slot) : readEntry(before, slot);
  const isOurs = format.kind === "yaml" ? /waymark[^]*\bmcp\b/i.test(String(held)) : startsWaymark(held);
  if (held !== undefined && !isOurs)
    return { ...change, after: before, note: `Its entry \`${entryName}\` starts something else, so it stays.` };
  return { ...change, after: format.kind === "yaml" ? removeYamlEntry(before, slot) : removeEntry(before, slot) };
}

function slotOf(file: string, container: string, name: string = entryName): JsonSlot {
  return { file, container, name };
}

async function readClientFile({ client: { name }, part: { files }, root, isOwn }: PlacedPart): Promise<Omit<Change, "after">> {
  const shown = (file: string): string => (isOwn ? join(root, file) : file);
  for (const file of files) {
    const found = await readPlain(root, file, isOwn);
    if (found !== undefined) return { client: name, file: shown(file), root, ...found };
  }
  const [first = ""] = files;
  return { client: name, file: shown(first), root, path: join(root, first), before: undefined };
}

/**
 * A file and its real path. In a workspace a link that leads out of it is refused, whether the file is there or not; the user's own files
 * may well be links.
 */
export async function readPlain(
  root: string,
  file: string,
  isOwn = false,
): Promise<{ readonly path: string; readonly before: string } | undefined> {
  const path = join(root, file);
  if (!isOwn) await refuseLinkOut(root, path, "CLI_INIT_FILE");
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
