/** Walks of the delivery machine, started by `scripts/soak.mjs` as one of several processes: `--walks` says how many are its own. */
import { parseArgs } from "node:util";
import { walkProperty } from "../support/walk-property.ts";

const { values } = parseArgs({ options: { walks: { type: "string", default: "5000" } } });
const walks = Number(values.walks);
let told = 0;
try {
  const sum = await walkProperty(walks, {
    // Many beginnings rather than many ends: one walk in sixteen may go all the way.
    turns: (dice) => (dice(16) === 0 ? 90 : 3 + dice(10)),
    onWalk: ({ walks: done }) => {
      process.send?.({ part: "walks", index: done });
      if (done - told < 500) return;
      told = done;
      console.log(`walks ${done} of ${walks}`);
    },
  });
  console.log(`walks ${JSON.stringify(sum)}`);
  process.exit(sum.complaints === 0 ? 0 : 1);
} catch (error) {
  console.log(String(error));
  process.exit(1);
}
