import { expect, test } from "vitest";
import { walkProperty } from "../support/walk-property.ts";

// Half of the walks run with `npm test`, the other half with `npm run test:long`.
const walks = Number(process.env["WAYMARK_WALKS"] ?? 500) / 2;

test("random walks with crashes never end without all conditions, exceed a budget, lose a decision or repeat a correction (first half)", async () => {
  const sum = await walkProperty(walks);
  process.stdout.write(`walks (first half): ${JSON.stringify(sum)}\n`);
  expect(sum).toMatchObject({ walks, complaints: 0 });
}, 900_000);
