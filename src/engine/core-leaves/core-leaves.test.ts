import { expect, test } from "vitest";
import { commonEffects } from "../../views/index.ts";
import { coreLeaves } from "./core-leaves.ts";

test("what is shown knows which effects every dialect may use", () => {
  const effects = Object.entries(coreLeaves).filter(([, leaf]) => leaf.perform !== undefined);
  expect([...effects.map(([what]) => what), "set", "wait"].toSorted()).toEqual([...commonEffects].toSorted());
});
