import fc from "fast-check";
import { openWalkPlace, type Turns, type Walked } from "./machine-walk.ts";

/** What many walks came to. */
export interface WalkSum {
  walks: number;
  completed: number;
  turns: number;
  crashes: number;
  dispatches: number;
  answers: number;
  refused: number;
  corrections: number;
  complaints: number;
}

/** Sessions of earlier walks lie beside, and are looked at: a place is used for so many. */
const walksPerPlace = 20;

/** Walks as a property: rejects with the throws of a walk that broke a rule. */
export async function walkProperty(
  walks: number,
  { onWalk = () => undefined, turns }: { readonly onWalk?: (sum: WalkSum) => void; readonly turns?: Turns } = {},
): Promise<WalkSum> {
  const sum: WalkSum = {
    walks: 0,
    completed: 0,
    turns: 0,
    crashes: 0,
    dispatches: 0,
    answers: 0,
    refused: 0,
    corrections: 0,
    complaints: 0,
  };
  let place = await openWalkPlace(turns);
  const count = (walked: Walked): void => {
    sum.walks += 1;
    sum.completed += walked.ended === "completed" ? 1 : 0;
    for (const key of ["turns", "crashes", "dispatches", "answers", "refused", "corrections"] as const) sum[key] += walked[key];
    sum.complaints += walked.complaints.length;
    onWalk(sum);
  };
  try {
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (gen) => {
        if (sum.walks > 0 && sum.walks % walksPerPlace === 0) {
          await place.close();
          place = await openWalkPlace(turns);
        }
        const walked = await place.walk((below) => gen(fc.nat, { max: below - 1 }));
        count(walked);
        if (walked.complaints.length > 0) throw new Error(walked.complaints.join("\n"));
      }),
      { numRuns: walks, endOnFailure: true },
    );
  } finally {
    await place.close();
  }
  return sum;
}
