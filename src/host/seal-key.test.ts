import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSeal, otherKeys } from "./seal-key.ts";

let base = "";
beforeEach(() => void (base = mkdtempSync(join(tmpdir(), "waymark-seal-"))));
afterEach(() => rmSync(base, { recursive: true }));

test("a key that is put in the place of another one counts from then on", async () => {
  const [here, there] = [join(base, "here"), join(base, "there")];
  const [own, other] = [createSeal(here), createSeal(there)];
  const [first, wanted] = [await own.make("text"), await other.make("text")];
  expect(first).not.toBe(wanted);
  copyFileSync(join(there, "seal.key"), join(here, "seal.key"));
  expect(await own.make("text")).toBe(wanted);
});

test("who has the key of a user's answers does not have the one that stays here", async () => {
  const [own, other] = [createSeal(join(base, "here")), createSeal(join(base, "there"))];
  const seal = await own.makeHere("text");
  expect(await own.make("text")).not.toBe(seal);
  await other.make("text");
  copyFileSync(join(base, "here", "seal.key"), join(base, "there", "seal.key"));
  expect(await other.makeHere("text")).not.toBe(seal);
  expect(await own.makeHere("text")).toBe(seal);
});

test("keys of others say what was sealed by them, beside one's own, for as long as they are there", async () => {
  const [own, ann, ben] = [createSeal(join(base, "here")), createSeal(join(base, "ann")), createSeal(join(base, "ben"))];
  const seals = { own: await own.make("text"), ann: await ann.make("text"), ben: await ben.make("text") };
  const known = async (): Promise<readonly string[]> => {
    const all = Object.entries(seals);
    const held = await Promise.all(all.map(([, seal]) => own.isOf("text", seal)));
    return all.flatMap(([name], at) => (held[at] === true ? [name] : []));
  };
  expect(await known()).toEqual(["own"]);
  const keys = otherKeys(join(base, "here"));
  mkdirSync(keys);
  for (const name of ["ann", "ben"]) copyFileSync(join(base, name, "seal.key"), join(keys, `${name}.key`));
  expect(await known()).toEqual(["own", "ann", "ben"]);
  expect(await own.isOf("another text", seals.ann)).toBe(false);
  expect(await own.make("text")).toBe(seals.own);
  rmSync(join(keys, "ann.key"));
  copyFileSync(join(base, "ann", "seal.key"), join(keys, "notes.txt"));
  expect(await known()).toEqual(["own", "ben"]);
});
