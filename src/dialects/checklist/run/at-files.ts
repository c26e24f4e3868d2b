import type { RunHandle } from "../../../engine/index.ts";

/** The block of a called checklist that goes through its files until nothing is open; what it calls itself comes after it. */
const rounds = /(^|\/)review(\.rounds)?$/;

/** Whether a call of a checklist has files left to go through: what is opened again before their end is handed out again. */
export function isAtFiles({ program }: Pick<RunHandle, "program">, { strands, effects }: RunHandle["state"], part: string): boolean {
  const root = program.parts[part]?.root ?? "";
  const block = program.blocks[root];
  // A sequence counts the block that it is in.
  const last = block?.kind === "seq" ? block.blocks.findIndex((id) => rounds.test(id)) + 1 : 0;
  const strand = Object.values(strands).find(({ frames }) =>
    frames.some((frame) => frame.kind === "seq" && frame.block === root && last > 0 && frame.at <= last),
  );
  // The look at the files after the last one may already have found nothing open.
  return strand !== undefined && !Object.values(effects).some((effect) => effect.strand === strand.id && effect.what === "refresh");
}
