import { quoteList, type Complain, type SourceNode } from "../../../../source/index.ts";
import { findGenerations, type Marker } from "../generation.ts";

/**
 * Refuses the second generation as a whole, and a mixture key by key. Answers whether the rest of the file can be checked, and the keys that
 * were complained about, so that no other check calls them unknown.
 */
export function checkGeneration(root: SourceNode, complain: Complain): { usable: boolean; refused: ReadonlySet<string> } {
  const { first, second } = findGenerations(root);
  if (second.length === 0) return { usable: true, refused: new Set() };
  if (first.length === 0) {
    const words = [...new Set(second.map((marker) => marker.word))];
    complain(second[0]!.node, {
      code: "STEPS_SECOND_GENERATION",
      message: `This file is written in the second generation of the steps dialect, which is not supported yet: ${quoteList(words, "and")} gave it away.`,
      fix: `Rewrite it in the first form: ${second.length === 1 ? "" : "for example "}${second[0]!.instead} instead of \`${second[0]!.word}\`.`,
      at: "key",
    });
    return { usable: false, refused: new Set() };
  }
  for (const marker of second) complainOfMixture(marker, first[0]!, complain);
  return { usable: true, refused: new Set(second.map((marker) => refusedKey(marker.node))) };
}

function complainOfMixture(marker: Marker, other: Marker, complain: Complain): void {
  const word = /^(this|global)\.$/.test(marker.word) ? `A path with \`${marker.word}\`` : `\`${marker.word}\``;
  const line = other.node.file.placeOf(other.node.path, "key").line;
  complain(marker.node, {
    code: "STEPS_MIXED_GENERATIONS",
    message: `${word} belongs to the second generation of the steps dialect, but this file is written in the first (see \`${other.word}\` in line ${line}).`,
    fix: `Use ${marker.instead}.`,
    at: marker.word.endsWith(".") ? "value" : "key",
  });
}

/** Identifies a node among those of its file. */
export function refusedKey(node: Pick<SourceNode, "path">): string {
  return JSON.stringify(node.path);
}
