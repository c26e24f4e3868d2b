import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { Turn } from "../ports/index.ts";
import type { Rules } from "./decide-permission.ts";
import { partsOf } from "./request-parts.ts";
import type { ToolRequest } from "./tool-request.ts";

/** The rules for one request. Who may only read may still write exactly the files that its step must leave. */
export function rulesFor(request: ToolRequest, turn: Turn): Rules {
  const { permission, leaves = [], cwd } = turn;
  if (permission.level !== "read" || request.kind !== "edit") return turn;
  const places = new Set([cwd, realOf(cwd)].flatMap((folder) => leaves.map((path) => resolve(folder, path))));
  const { paths, texts } = partsOf(request);
  // A text under a key that nobody knows may be the file that is meant.
  const meant = [...paths, ...texts.filter((text) => /[\\/.]/.test(text) || existsSync(resolve(cwd, text)))];
  const isLeft = paths.length > 0 && meant.every((path) => places.has(resolve(cwd, path)));
  return isLeft ? { ...turn, permission: { level: "edit" } } : turn;
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
