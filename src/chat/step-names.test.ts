import { expect, test } from "vitest";
import { stepOfLabel } from "./step-names.ts";

test.each([
  [
    { kind: "step", text: "Step 2/3: implement" },
    { kind: "step", of: "2/3", name: "implement" },
  ],
  [
    { kind: "node", text: "review" },
    { kind: "node", name: "review" },
  ],
  [{ kind: "steps", text: "Steps 1-2/3: a, b" }, undefined],
])("%j", (label, step) => {
  expect(stepOfLabel(label)).toEqual(step);
});
