import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { walkModel, type OpenedModel } from "./store-model.contract.ts";

/** What a store does is what the model of one does, over so many random walks. */
export function modelContract(name: string, open: () => Promise<OpenedModel>, numRuns: number): void {
  describe(`${name} acts as the model does`, () => {
    let opened: OpenedModel;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.clean());

    test("two who have the store open and act in any order see what the model says", async () => {
      await expect(walkModel(opened, { numRuns })).resolves.toBeUndefined();
    });
  });
}
