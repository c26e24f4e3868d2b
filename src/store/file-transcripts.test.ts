import { appendFileSync, readdirSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Transcripts } from "../ports/index.ts";
import { fileTranscripts } from "./file-transcripts.ts";
import { entryOf, readAll, transcriptsContract } from "./transcripts.contract.ts";

transcriptsContract("files", async () => {
  const folder = await mkdtemp(join(tmpdir(), "waymark-transcripts-"));
  const open = (): Transcripts => fileTranscripts({ folder });
  return { transcripts: open(), reopen: open, clean: () => rm(folder, { recursive: true }) };
});

let folder: string;
let transcripts: Transcripts;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "waymark-transcripts-"));
  transcripts = fileTranscripts({ folder });
});
afterEach(() => rm(folder, { recursive: true }));

const said = (text: string) => entryOf("run", { type: "message", text });
const texts = async (): Promise<unknown[]> => (await readAll(transcripts.read("run"))).map(({ event }) => "text" in event && event.text);
const onlyFile = (): string => join(folder, "transcripts", readdirSync(join(folder, "transcripts"))[0]!);

test("only their user can read the files", async () => {
  await transcripts.append([said("private")]);
  expect(statSync(join(folder, "transcripts")).mode & 0o777).toBe(0o700);
  expect(statSync(onlyFile()).mode & 0o777).toBe(0o600);
});

test("reading creates nothing, and neither do deltas of text alone", async () => {
  await transcripts.append([entryOf("run", { type: "text", text: "delta" })]);
  expect(await texts()).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});

test("a line that a crash left unfinished is skipped, and what follows it is read", async () => {
  await transcripts.append([said("one"), said("two 👍")]);
  truncateSync(onlyFile(), statSync(onlyFile()).size - 40);
  expect(await texts()).toEqual(["one"]);
  await fileTranscripts({ folder }).append([said("three")]);
  expect(await texts()).toEqual(["one", "three"]);
});

test("lines that are not entries are skipped", async () => {
  await transcripts.append([said("one")]);
  appendFileSync(onlyFile(), '7\nnull\n{"event":1}\n[]\n\u0000\u0000\n');
  await transcripts.append([said("two")]);
  expect(await texts()).toEqual(["one", "two"]);
});

test("what is being written is not read before its end is there", async () => {
  await transcripts.append([said("one")]);
  appendFileSync(onlyFile(), JSON.stringify(said("half")));
  const [one] = await readAll(transcripts.read("run"));
  expect(await texts()).toEqual(["one"]);
  appendFileSync(onlyFile(), "\n");
  expect(await readAll(transcripts.read("run", { after: one!.position }))).toMatchObject([{ event: { text: "half" } }]);
});

test("a folder that cannot be written to is named, and the next batch is tried again", async () => {
  writeFileSync(join(folder, "transcripts"), "in the way");
  await expect(transcripts.append([said("one")])).rejects.toMatchObject({ code: "STORE_FAILED" });
  await expect(readAll(transcripts.read("run"))).rejects.toMatchObject({ code: "STORE_FAILED" });
  await rm(join(folder, "transcripts"));
  await transcripts.append([said("two")]);
  expect(await texts()).toEqual(["two"]);
});
