import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { canonicalJson } from "../../src/base/index.ts";
import { apply, emptyState, eventVersion, type Event, type RunState } from "../../src/kernel/index.ts";
import type { JournalRecord, Store } from "../../src/ports/index.ts";
import { decodeJournal } from "../../src/state/journal-codec.ts";
import { blobReferences } from "../../src/store/blob-reference.ts";
import { AlwaysBench } from "../crash/engine-bench.ts";
import { engineCases, eventTypes, kernelCases } from "../golden/journals/golden-cases.ts";

/**
 * Journals as released versions wrote them, one folder per version. They are never written again: `apply` must give the state
 * whose hash lies beside them, for ever. `UPDATE=1 npx vitest run test/unit/golden-journals.test.ts` records the cases that the
 * folder of the current version lacks; `UPDATE=all` records all of that version, which is right only before it is released.
 */
const root = resolve(import.meta.dirname, "../golden/journals");
const { version } = JSON.parse(readFileSync(resolve(import.meta.dirname, "../../package.json"), "utf8")) as { version: string };

type Line = { readonly state_sha256: string; readonly records: number } | { readonly blob: string; readonly text: string } | JournalRecord;

function hashOf(state: RunState): string {
  return createHash("sha256").update(canonicalJson(state)).digest("hex");
}

async function replay(
  records: readonly JournalRecord[],
  blobs: ReadonlyMap<string, string>,
): Promise<{ readonly state: RunState; readonly events: readonly Event[] }> {
  const store = { readBlob: async (hash: string) => (blobs.has(hash) ? new TextEncoder().encode(blobs.get(hash)) : undefined) } as Pick<
    Store,
    "readBlob"
  > as Store;
  const events: Event[] = [];
  let state = emptyState;
  for (const record of records) {
    expect(record.version).toBeLessThanOrEqual(eventVersion);
    for (const event of await decodeJournal<readonly Event[]>(store, record.events)) {
      state = apply(state, event);
      events.push(event);
    }
  }
  return { state, events };
}

async function write(name: string, records: readonly JournalRecord[], blobs: ReadonlyMap<string, string>): Promise<void> {
  const { state } = await replay(records, blobs);
  const lines: Line[] = [
    { state_sha256: hashOf(state), records: records.length },
    ...[...blobs].map(([blob, text]) => ({ blob, text })),
    ...records,
  ];
  mkdirSync(join(root, version), { recursive: true });
  const text = `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
  expect(text, "a golden journal names no place of the machine that recorded it").not.toMatch(/waymark-always-|\/home\/|\/work\//);
  writeFileSync(join(root, version, `${name}.jsonl`), text);
}

function read(file: string): {
  readonly hash: string;
  readonly records: readonly JournalRecord[];
  readonly blobs: ReadonlyMap<string, string>;
} {
  const lines = readFileSync(join(root, file), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
  const [head] = lines;
  const records = lines.filter((line): line is JournalRecord => "events" in line);
  const blobs = new Map(lines.flatMap((line) => ("blob" in line ? [[line.blob, line.text] as const] : [])));
  if (head === undefined || !("state_sha256" in head)) throw new Error(`${file} does not begin with the hash of its state.`);
  expect(records.length).toBe(head.records);
  return { hash: head.state_sha256, records, blobs };
}

const wanted = (name: string): boolean => process.env["UPDATE"] === "all" || !existsSync(join(root, version, `${name}.jsonl`));

async function record(): Promise<void> {
  for (const [name, play] of Object.entries(engineCases).filter(([each]) => wanted(each))) {
    const bench = new AlwaysBench();
    try {
      const run = await play(await bench.open(), () => bench.open());
      const records = await bench.records(run);
      const { store } = (await bench.open()).context;
      const blobs = new Map<string, string>();
      for (const hash of records.flatMap(({ events }) => blobReferences(events)))
        blobs.set(hash, Buffer.from((await store.readBlob(hash)) ?? []).toString());
      await write(name, records, blobs);
    } finally {
      await bench.close();
    }
  }
  for (const [name, play] of Object.entries(kernelCases).filter(([each]) => wanted(each))) {
    const { journal, events: all } = play();
    const known = new Set(journal.flatMap(({ events }) => events));
    const other = all.filter((event) => !known.has(event));
    const parts = [
      ...journal.slice(0, 2),
      { input: { type: "add", at: 1000, by: { kind: "engine", name: "golden", session: "g", surface: "test" } } as const, events: other },
      ...journal.slice(2),
    ];
    const records = parts
      .filter(({ events }) => events.length > 0)
      .map(({ input, events }, index) => ({
        position: index + 1,
        at: input.at,
        actor: input.by,
        cause: input.type,
        events: JSON.stringify(events),
        version: eventVersion,
      }));
    await write(name, records, new Map());
  }
}

if (process.env["UPDATE"] !== undefined) await record();

const files = existsSync(root)
  ? readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".jsonl"))
      .sort()
  : [];

test.each(files)("rule 3: the journal %s still gives the state it gave when it was written", async (file) => {
  const { hash, records, blobs } = read(file);
  const { state } = await replay(records, blobs);
  expect(hashOf(state)).toBe(hash);
});

test("rule 3: every released version and the current one have golden journals, and together they hold every event", async () => {
  const missing = [...Object.keys(engineCases), ...Object.keys(kernelCases)].filter(
    (name) => !files.includes(join(version, `${name}.jsonl`)),
  );
  expect(missing, "record them with UPDATE=1").toEqual([]);
  const seen = new Set<string>();
  for (const file of files) {
    const { records, blobs } = read(file);
    for (const { type } of (await replay(records, blobs)).events) seen.add(type);
  }
  expect(eventTypes.filter((type) => !seen.has(type))).toEqual([]);
});
