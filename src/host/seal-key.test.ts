import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSeal } from "./seal-key.ts";

let base = "";
beforeEach(() => void (base = mkdtempSync(join(tmpdir(), "waymark-seal-"))));
afterEach(() => rmSync(base, { recursive: true }));

test("a key that is put in the place of another one counts from then on", async () => {
  const [here, there] = [join(base, "here"), join(base, "there")];
  const [own, other] = [createSeal(here), createSeal(there)];
  const [first, wanted] = [await own("text"), await other("text")];
  expect(first).not.toBe(wanted);
  copyFileSync(join(there, "seal.key"), join(here, "seal.key"));
  expect(await own("text")).toBe(wanted);
});
