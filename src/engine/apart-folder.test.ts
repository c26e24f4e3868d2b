import { expect, test } from "vitest";
import { apartFolder, isApart } from "./apart-folder.ts";

test("a folder of a strand is beside that of the run, whatever its task is called", () => {
  expect(apartFolder("/trees/run-1", "T-001-e4")).toBe("/trees/run-1+T-001-e4");
  expect(apartFolder("/trees/run-1", "../../etc x")).toBe("/trees/run-1+.._.._etc_x");
  expect(isApart("/trees/run-1", apartFolder("/trees/run-1", "../../etc x"))).toBe(true);
});

test.each([
  "/home/ada",
  "/trees/run-1",
  "/trees/run-1/inside",
  "/trees/run-1+a/../../home",
  "/trees/run-1+",
  "/trees/run-12+a",
  "/trees/run-1+a/b",
])("%s is not one: names of a strand can come from an agent", (folder) => {
  expect(isApart("/trees/run-1", folder)).toBe(false);
});
