import { editsInText } from "../run/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import type { ReportedEdit } from "../../../findings/index.ts";
import type { FileScan, Instance } from "../../../ports/index.ts";

/**
 * Where the edits of a file's instances are in its text; the scan knows their bytes. A secret has none here: what is put in its place may
 * repeat it.
 */
export async function reportedEdits(
  { workspace }: Pick<EngineContext, "workspace">,
  root: string,
  { path, encoding = "utf-8", instances }: FileScan,
): Promise<ReadonlyMap<Instance, readonly ReportedEdit[]>> {
  const fixable = instances.filter(({ auto, edits, secret }) => auto && edits !== undefined && secret !== true);
  if (fixable.length === 0) return new Map();
  const [raw, read] = [await workspace.read(root, path), await workspace.readText(root, path)];
  if (raw === undefined || read === undefined || raw.hash !== read.hash) return new Map();
  const placeAt = placesIn(read.text);
  return new Map(
    fixable.map((instance) => [
      instance,
      editsInText(raw.bytes, encoding, instance.edits ?? []).map(({ start, end, text }): ReportedEdit => {
        const [from, to] = [placeAt(start), placeAt(end)];
        return { line: from.line, column: from.column, endLine: to.line, endColumn: to.column, text };
      }),
    ]),
  );
}

/** Line and column of an offset. */
function placesIn(text: string): (offset: number) => { readonly line: number; readonly column: number } {
  const starts = [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map(({ index, 0: end }) => index + end.length)];
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}
