import fc from "fast-check";
import { expect, test } from "vitest";
import type { Platform, StreamingMode } from "./platform.ts";
import { Reply } from "./reply.ts";
import { openFence } from "./split-message.ts";

function bench(mode: StreamingMode, longestMessage?: number) {
  const sent: string[] = [];
  const platform: Platform = {
    getPlatformType: () => "test",
    getStreamingMode: () => mode,
    ...(longestMessage === undefined ? {} : { longestMessage }),
    send: async (_, text) => {
      let whole = "";
      if (typeof text === "string") whole = text;
      else for await (const piece of text) whole += piece;
      sent.push(whole);
    },
    ensureThread: (id) => Promise.resolve(id),
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  };
  return { sent, reply: new Reply({ platform, conversation: "c", platformId: "p" }) };
}

test("words are gathered into one message, with a line for each tool between messages", async () => {
  const { sent, reply } = bench("stream");
  for (const word of ["\n", " I", " look", " at it.", "\n\n"]) reply.add(word);
  reply.tool("🔧 READ\na.ts");
  for (const word of ["\n\n", "Found", " ", "it.", "\n"]) reply.add(word);
  await reply.end();
  expect(sent).toEqual(["I look at it.", "🔧 READ\na.ts", "Found it."]);
});

test("in batch mode all of it is one text at the end, without tools", async () => {
  const { sent, reply } = bench("batch");
  reply.add("One.");
  reply.tool("🔧 READ");
  reply.add("\n\nTwo.\n");
  expect(sent).toEqual([]);
  await reply.end();
  expect(sent).toEqual(["One.\n\nTwo."]);
});

test("nothing said is nothing sent", async () => {
  for (const mode of ["stream", "batch"] as const) {
    const { sent, reply } = bench(mode);
    reply.add(" \n");
    await reply.end();
    expect(sent).toEqual([]);
  }
});

test("however the words come, all are sent in order, and no message is too long or leaves a block of code open", async () => {
  const piece = fc.constantFrom("a", " ", "\n", "word ", "```ts\n", "```\n", "const a = 1;\n", "😀", "long".repeat(40));
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 12, max: 300 }), async (pieces, longest) => {
      const { sent, reply } = bench("stream", longest);
      for (const each of pieces) reply.add(each);
      await reply.end();
      const bare = (text: string): string => text.replaceAll(/\s|`|ts/g, "");
      expect(bare(sent.join(""))).toBe(bare(pieces.join("")));
      for (const text of sent) {
        expect(text.length).toBeLessThanOrEqual(longest);
        expect(text.trim()).not.toBe("");
        expect(text).not.toMatch(/\p{Cs}/u);
      }
      const open = sent.slice(0, -1).filter((text) => openFence(text) !== undefined);
      expect(longest >= 100 ? open : []).toEqual([]);
    }),
  );
});
