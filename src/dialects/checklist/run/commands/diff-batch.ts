import type { BatchPlan } from "../batch-plan.ts";
import { unifiedDiff, type TextChange } from "../../../../views/index.ts";
import type { EngineContext } from "../../../../engine/index.ts";

/** The whole difference that a planned batch makes. Files that changed since the plan was made are named as such. */
export async function diffBatch(context: EngineContext, plan: BatchPlan): Promise<string> {
  const parts: string[] = [];
  for (const { path, edit } of plan.files) if (edit !== undefined) parts.push(await fileDiff(context, path, edit));
  return parts.length === 0 ? "" : `${parts.join("\n")}\n`;
}

type Edit = NonNullable<BatchPlan["files"][number]["edit"]>;

async function fileDiff({ workspace, host }: EngineContext, path: string, edit: Edit): Promise<string> {
  const [read, raw] = [await workspace.readText(host.workspace, path), await workspace.read(host.workspace, path)];
  if (read === undefined || raw === undefined || raw.hash !== edit.before || read.hash !== edit.before)
    return `--- a/${path}\n+++ b/${path}\n(changed while the difference was made)`;
  return unifiedDiff(path, read.text, inText(raw.bytes, read.encoding, edit.edits));
}

/** Edits name bytes; a difference is made of text. Every edit begins and ends between characters. */
function inText(bytes: Uint8Array, encoding: string, edits: Edit["edits"]): readonly TextChange[] {
  const name = encoding === "utf-8-bom" ? "utf-8" : encoding;
  let [byte, place] = [0, 0];
  const placeOf = (offset: number): number => {
    // Only the sign at the very beginning of a file is not text.
    place += new TextDecoder(name, { ignoreBOM: byte > 0 }).decode(bytes.subarray(byte, offset)).length;
    byte = offset;
    return place;
  };
  const sorted = edits.toSorted((a, b) => a.start - b.start || a.end - b.end);
  return sorted.map(({ start, end, text }) => ({ start: placeOf(start), end: placeOf(end), text }));
}
