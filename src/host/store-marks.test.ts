import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StoreMarkFile } from "./store-marks.ts";

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "waymark-marks-")));
});
afterEach(() => rmSync(base, { recursive: true }));

const marks = (dataFolder = join(base, "data")): StoreMarkFile =>
  new StoreMarkFile({ workspace: join(base, "work"), dataFolder, log: () => undefined });

test("a store that is announced is bound to the file in which it is first seen", async () => {
  const id = await marks().announce();
  expect(await marks().has({ id, file: "1" })).toBe(true);
  expect([await marks().has({ id, file: "1" }), await marks().has({ id, file: "2" })]).toEqual([true, false]);
});

test("a store that nobody made here counts only after it was adopted, and stores without an id never", async () => {
  expect(await marks().has({ id: "theirs", file: "1" })).toBe(false);
  await marks().adopt({ id: "theirs", file: "1" });
  expect(await marks().has({ id: "theirs", file: "1" })).toBe(true);
  await marks().adopt({ id: "theirs", file: "2" });
  expect([await marks().has({ id: "theirs", file: "1" }), await marks().has({ id: "theirs", file: "2" })]).toEqual([true, true]);
  expect(await marks().has({ id: "", file: "1" })).toBe(false);
});

test("marks that the project or another user could have written are not believed", async () => {
  await expect(marks(join(base, "work", "data")).has({ id: "a", file: "1" })).rejects.toMatchObject({ code: "HOST_DATA_INSIDE_WORKSPACE" });
  await marks().announce();
  if (process.platform === "win32") return;
  await chmod(join(base, "data", "stores.jsonl"), 0o666);
  await expect(marks().has({ id: "a", file: "1" })).rejects.toMatchObject({ code: "HOST_DATA_UNSAFE" });
});
