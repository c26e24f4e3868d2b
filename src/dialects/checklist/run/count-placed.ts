import type { FileScan } from "../../../ports/index.ts";
import type { ToolCounts } from "./run-tool.ts";

/**
 * What tools reported, as it was placed in the files: a comment of Waymark settles findings of tools too, the lines that a run is about leave
 * some out, and a file that cannot be read has no place for any.
 */
export function countPlaced(counts: readonly ToolCounts[], scans: readonly FileScan[]): readonly ToolCounts[] {
  return counts.map((each) => {
    const isOf = ({ tool }: { readonly tool?: string }): boolean => tool === each.tool;
    const found = sumOver(scans, ({ instances }) => instances.filter(isOf).length);
    const suppressed = sumOver(scans, ({ suppressed: left = [] }) => left.filter(isOf).length);
    const lost = Math.max(0, each.found + each.suppressed - found - suppressed);
    return { ...each, found, suppressed, outside: each.outside + lost };
  });
}

function sumOver(scans: readonly FileScan[], count: (scan: FileScan) => number): number {
  return scans.reduce((sum, scan) => sum + count(scan), 0);
}
