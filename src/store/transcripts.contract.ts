import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TranscriptEntry, Transcripts } from "../ports/index.ts";

export interface OpenedTranscripts {
  readonly transcripts: Transcripts;
  /** The same data as another process has it open. */
  readonly reopen: () => Transcripts;
  readonly clean: () => Promise<void>;
}

type Read = TranscriptEntry & { readonly position: number };

export async function readAll(from: AsyncIterable<Read>): Promise<Read[]> {
  const all: Read[] = [];
  for await (const entry of from) all.push(entry);
  return all;
}

export function entryOf(run: string, event: TranscriptEntry["event"], more: Partial<TranscriptEntry> = {}): TranscriptEntry {
  return { at: 1_000, run, action: "a1", step: "review", strand: "main", agent: "claude", event, ...more };
}

const said = (text: string): TranscriptEntry["event"] => ({ type: "message", text });

/** What all transcripts must do, whatever they are kept in. Every test uses runs of its own. */
export function transcriptsContract(name: string, open: () => Promise<OpenedTranscripts>): void {
  describe(`${name} keeps the contract of transcripts`, () => {
    let opened: OpenedTranscripts;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.clean());
    const texts = async (...given: Parameters<Transcripts["read"]>): Promise<string[]> =>
      (await readAll(opened.transcripts.read(...given))).map(({ event }) => ("text" in event ? event.text : event.type));

    test("a run without a transcript has no entries, and removing it changes nothing", async () => {
      expect(await texts("nothing")).toEqual([]);
      await opened.transcripts.remove("nothing");
      await opened.transcripts.append([]);
      expect(await texts("nothing")).toEqual([]);
    });

    test("entries come back whole and in order, for another process too", async () => {
      const events: TranscriptEntry["event"][] = [
        { type: "prompt", text: "Do it.\nNow: \u2028 ü 👍 \u0000" },
        { type: "session", sessionId: "s1", resumed: "new" },
        { type: "tool", id: "t1", name: "Edit", kind: "edit", status: "running", input: { path: "a.ts", old: null } },
        { type: "permission", tool: "Bash", decision: "deny" },
        { type: "usage", usage: { inputTokens: 3, costUsd: 0.25 } },
        { type: "result", sessionId: "s1", stop: "end", text: "Done.", usage: {}, denied: ["Bash"] },
      ];
      const entries = events.map((event, at) => entryOf("whole", event, { at }));
      await opened.transcripts.append(entries);
      for (const transcripts of [opened.transcripts, opened.reopen()]) {
        const read = await readAll(transcripts.read("whole"));
        expect(read.map(({ position: _, ...entry }) => entry)).toEqual(entries);
      }
    });

    test("deltas of text are left out, whole messages are kept", async () => {
      const deltas = ["He", "llo"].map((text) => entryOf("deltas", { type: "text", text }));
      await opened.transcripts.append([...deltas, entryOf("deltas", said("Hello"))]);
      expect(await texts("deltas")).toEqual(["Hello"]);
    });

    test("after a position come exactly the entries behind it, whoever added them", async () => {
      const other = opened.reopen();
      for (const [index, transcripts] of [opened.transcripts, other, opened.transcripts, other].entries())
        await transcripts.append([entryOf("after", said(`${index}a`)), entryOf("after", said(`${index}b`), { action: `x${index}` })]);
      const all = await readAll(opened.transcripts.read("after"));
      expect(all.map(({ position }) => position)).toEqual(all.map(({ position }) => position).toSorted((a, b) => a - b));
      expect(new Set(all.map(({ position }) => position)).size).toBe(8);
      for (const [index, { position }] of all.entries())
        expect(await readAll(opened.transcripts.read("after", { after: position }))).toEqual(all.slice(index + 1));
    });

    test("one action, one step, and a number of entries can be asked for", async () => {
      await opened.transcripts.append([
        entryOf("wish", said("1")),
        entryOf("wish", said("2"), { action: "a2", step: "fix" }),
        entryOf("wish", said("3"), { action: "a3" }),
      ]);
      expect(await texts("wish", { action: "a2" })).toEqual(["2"]);
      expect(await texts("wish", { step: "review" })).toEqual(["1", "3"]);
      expect(await texts("wish", { step: "review", limit: 1 })).toEqual(["1"]);
      expect(await texts("wish", { limit: 2 })).toEqual(["1", "2"]);
      expect(await texts("wish", { limit: 0 })).toEqual([]);
      expect(await texts("wish", { action: "a" })).toEqual([]);
    });

    test("what two processes add at once is all there, each batch in its order", async () => {
      const writers = [opened.transcripts, opened.reopen()];
      const batch = (writer: number, turn: number): TranscriptEntry[] =>
        ["a", "b"].map((part) =>
          entryOf("both", said(`${part}${"x".repeat(turn === 7 ? 2_000_000 : 3000)}`), { action: `${writer}-${turn}` }),
        );
      await Promise.all(
        writers.flatMap((transcripts, writer) => Array.from({ length: 20 }, (_, turn) => transcripts.append(batch(writer, turn)))),
      );
      const read = await readAll(opened.transcripts.read("both"));
      expect(read).toHaveLength(80);
      for (const writer of [0, 1]) {
        const own = read.filter(({ action }) => action.startsWith(`${writer}-`)).map(({ action }) => action);
        expect(own).toEqual(Array.from({ length: 20 }, (_, turn) => [`${writer}-${turn}`, `${writer}-${turn}`]).flat());
      }
    });

    test("runs of one batch are kept apart, and so are names that look alike as files", async () => {
      const runs = ["../up", "..%2Fup", "con", "CON", "a/b", "a_b", "A/B", `${"long".repeat(80)}1`, `${"long".repeat(80)}2`, ".", ""];
      await opened.transcripts.append(runs.map((run) => entryOf(run, said(`of ${run}`))));
      for (const run of runs) expect(await texts(run)).toEqual([`of ${run}`]);
      await opened.transcripts.remove("a/b");
      expect([await texts("a/b"), await texts("A/B"), await texts("a_b")]).toEqual([[], ["of A/B"], ["of a_b"]]);
    });

    test("a removed transcript can begin again", async () => {
      await opened.transcripts.append([entryOf("again", said("old"))]);
      await opened.transcripts.remove("again");
      expect(await texts("again")).toEqual([]);
      await opened.transcripts.append([entryOf("again", said("new"))]);
      expect(await texts("again")).toEqual(["new"]);
    });

    test("inputs and outputs of tools are cut with a mark, and what names the work stays", async () => {
      const content = "line\n".repeat(20_000);
      const input = { file_path: "src/a.ts", content, edits: [{ text: content }] };
      const output = Array.from({ length: 20_000 }, (_, line) => line);
      await opened.transcripts.append([entryOf("cut", { type: "tool", id: "t", name: "Write", status: "done", input, output })]);
      const [read] = await readAll(opened.transcripts.read("cut"));
      const event = read?.event.type === "tool" ? read.event : undefined;
      expect(event?.input).toMatchObject({
        file_path: "src/a.ts",
        content: expect.stringMatching(/^line\n.*\(cut, 100000 characters\)$/s),
      });
      expect(event?.output).toMatch(/^\[0,1,2,.*\(cut, \d+ characters\)$/);
      expect(JSON.stringify(read).length).toBeLessThan(40_000);
    });

    test("a long prompt and a long message are kept whole", async () => {
      const text = "word ".repeat(100_000);
      await opened.transcripts.append([entryOf("long", { type: "prompt", text }), entryOf("long", said(text))]);
      expect(await texts("long")).toEqual([text, text]);
    });
  });
}
