import type { BatchPlan } from "../../engine/index.ts";
import type { ToolCall } from "../tool.ts";
import { unifiedDiff, type TextChange } from "./unified-diff.ts";

/** Characters of a difference that come with the reply; a longer one lies in a file. */
const shownChars = 2500;

export interface BatchDiff {
  readonly diff?: string;
  readonly diffPath?: string;
}

/** The whole difference that a planned batch makes. Files that changed since the plan was made are named as such. */
export async function batchDiff(call: ToolCall, run: string, token: string, plan: BatchPlan): Promise<BatchDiff> {
  const parts: string[] = [];
  for (const { path, edit } of plan.files) {
    if (edit === undefined) continue;
    parts.push(await fileDiff(call, path, edit));
  }
  const diff = parts.join("\n");
  if (diff.length <= Math.min(shownChars, call.replyChars / 4)) return { diff };
  return { diffPath: await call.engine.host.views.write(`diffs/${run}-${token}.diff`, `${diff}\n`) };
}

type Edit = NonNullable<BatchPlan["files"][number]["edit"]>;

async function fileDiff({ engine }: ToolCall, path: string, edit: Edit): Promise<string> {
  const root = engine.host.workspace;
  const [read, raw] = [await engine.workspace.readText(root, path), await engine.workspace.read(root, path)];
  if (read === undefined || raw === undefined || raw.hash !== edit.before || read.hash !== edit.before)
    return `--- a/${path}\n+++ b/${path}\n(changed while the difference was made)`;
  return unifiedDiff(path, read.text, inText(raw.bytes, read.encoding, edit.edits));
}

/** Edits name bytes; a difference is made of text. Every edit begins and ends between characters. */
function inText(bytes: Uint8Array, encoding: string, edits: Edit["edits"]): readonly TextChange[] {
  const name = encoding === "utf-8-bom" ? "utf-8" : encoding;
  let [byte, place] = [0, 0];
  const placeOf = (offset: number): number => {
    // Only the sign at the very beginning of a file is no text.
    place += new TextDecoder(name, { ignoreBOM: byte > 0 }).decode(bytes.subarray(byte, offset)).length;
    byte = offset;
    return place;
  };
  const sorted = edits.toSorted((a, b) => a.start - b.start || a.end - b.end);
  return sorted.map(({ start, end, text }) => ({ start: placeOf(start), end: placeOf(end), text }));
}
