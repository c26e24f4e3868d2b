import { expect, test } from "vitest";
import { walkProperty } from "../support/walk-property.ts";

// A fiftieth of the walks runs with `npm test`, the rest with `npm run test:long`; each time other ones.
const walks = Math.ceil(Number(process.env["WAYMARK_WALKS"] ?? 500) / 50);

test("random walks with crashes never end without all conditions, exceed a budget, lose a decision or repeat a correction", async () => {
  const sum = await walkProperty(walks);
  process.stdout.write(`walks: ${JSON.stringify(sum)}\n`);
  expect(sum).toMatchObject({ walks, complaints: 0 });
}, 900_000);
