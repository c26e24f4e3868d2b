import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { isWaymarkError, type Diagnostic } from "../base/index.ts";
import type { SourceFile } from "../ports/index.ts";
import { fixOf } from "./codes.ts";
import { readDefinition } from "./read-definition.ts";
import { pathForOutput } from "./workspace-path.ts";

const mostFiles = 5_000;
const deepest = 8;
const counts = /\.(?:json|md|txt)$/i;

export interface BotFolder {
  readonly path: string;
  readonly text: string;
  /** Relative to the bot's folder; shared actions beside it begin with `../base_actions/`. */
  readonly files: readonly SourceFile[];
}

/** A folder with a bot's configuration, read whole; undefined when it has none. Links that lead out of the root are not followed. */
export async function readBotFolder(folder: string, realRoot: string, problems: Diagnostic[]): Promise<BotFolder | undefined> {
  for (const way of ["bot_config.json", "config/bot_config.json"]) {
    const path = join(folder, way);
    const text = await read(path, realRoot, problems);
    if (text === undefined) continue;
    const files: SourceFile[] = [];
    await collect(folder, "", { realRoot, files, problems });
    if (!files.some((file) => file.path.startsWith("base_actions/")))
      await collect(join(folder, "..", "base_actions"), "../base_actions", { realRoot, files, problems });
    return { path, text, files };
  }
  return undefined;
}

interface Collecting {
  readonly realRoot: string;
  readonly files: SourceFile[];
  readonly problems: Diagnostic[];
}

async function collect(folder: string, way: string, collecting: Collecting, depth = 0): Promise<void> {
  if (depth > deepest || (await realpath(folder).catch(() => undefined)) === undefined) return;
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith(".") || collecting.files.length >= mostFiles) continue;
    const inner = way === "" ? entry.name : `${way}/${entry.name}`;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await collect(path, inner, collecting, depth + 1);
    else if (counts.test(entry.name)) {
      const text = await read(path, collecting.realRoot, collecting.problems);
      if (text !== undefined) collecting.files.push({ path: inner, text });
    }
  }
}

async function read(path: string, realRoot: string, problems: Diagnostic[]): Promise<string | undefined> {
  try {
    return await readDefinition(path, realRoot);
  } catch (cause) {
    if (!isWaymarkError(cause)) throw cause;
    const { code, message } = cause;
    problems.push({ code, severity: "warning", message, fix: fixOf(code), place: { file: pathForOutput(path), line: 1, column: 1 } });
    return undefined;
  }
}
