import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { holdAlone } from "./hold-alone.ts";
import { createProcessId } from "./process-id.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "waymark-hold-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const place = (): string => join(folder, "chats", "a");
const id = createProcessId("aaaaaaaa");

test("one holds it at a time, and after its release the next one does", async () => {
  const held = await holdAlone(place(), id);
  if (!("release" in held)) throw new Error("It was free.");
  expect(await holdAlone(place(), createProcessId("bbbbbbbb"))).toEqual({ holder: id });
  await held.release();
  expect(await holdAlone(place(), createProcessId("bbbbbbbb"))).toHaveProperty("release");
});

test("of many at once one has it", async () => {
  const held = await Promise.all(Array.from({ length: 8 }, (_, at) => holdAlone(place(), createProcessId(`aaaaaaa${at}`))));
  expect(held.filter((each) => "release" in each)).toHaveLength(1);
});

test("what a dead process held is free", async () => {
  const child = spawn("sleep", ["60"]);
  const [, ...rest] = id.split(/(?<=^p\d+)/);
  await holdAlone(place(), id);
  writeFileSync(place(), `p${child.pid}${rest.join("")}`);
  child.kill("SIGKILL");
  await once(child, "close");
  expect(await holdAlone(place(), id)).toHaveProperty("release");
});

test("who was replaced takes nothing away", async () => {
  const held = await holdAlone(place(), id);
  writeFileSync(place(), "another");
  if ("release" in held) await held.release();
  expect(await holdAlone(place(), id)).toEqual({ holder: "another" });
});
