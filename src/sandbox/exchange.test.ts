import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { createSandbox } from "./create-sandbox.ts";

const sandbox = createSandbox();
afterAll(() => sandbox.close());

const echo = (text: string, more = ""): Promise<unknown> =>
  sandbox.evaluate({ space: "here", code: "return text + more", bindings: { text, more } });

describe("calls through shared memory", () => {
  test("questions and answers of every length come through, whichever way they take", async () => {
    const character = fc.constantFrom("a", '"', "\\", "\n", "\u0001", "é", "語", "😀", "\ud800");
    const length = fc.oneof(fc.nat({ max: 40 }), fc.integer({ min: 3_000, max: 3_800 }), fc.integer({ min: 10_000, max: 30_000 }));
    await fc.assert(
      fc.asyncProperty(character, length, length, fc.boolean(), async (char, asked, answered, prepared) => {
        if (prepared) sandbox.expect();
        const text = char.repeat(asked);
        const code = `return [text.length, ${JSON.stringify(char)}.repeat(${answered})] // ${"x".repeat(asked % 3_000)}`;
        const result = await sandbox.evaluate({ space: "here", code, bindings: { text } });
        expect(result).toMatchObject({ ok: true, value: [text.length, char.repeat(answered)] });
      }),
      { numRuns: 150 },
    );
  });

  test("calls made at once are answered in order, each with its own answer", async () => {
    const lengths = [1, 30_000, 2, 3, 9_000, 4, 70_000, 5];
    const answers = await Promise.all(lengths.map((length) => echo("x".repeat(length))));
    expect(answers).toMatchObject(lengths.map((length) => ({ value: "x".repeat(length) })));
  });

  test("calls one after another leave the event loop its turns", async () => {
    let turns = 0;
    const count = (): void => {
      turns += 1;
      again = setImmediate(count);
    };
    let again = setImmediate(count);
    for (let call = 0; call < 300; call += 1) expect(await echo("a", String(call))).toMatchObject({ value: `a${call}` });
    clearImmediate(again);
    expect(turns).toBeGreaterThan(4);
  });

  test("a worker that was woken for nothing answers the next call, however often and long ago that was", async () => {
    for (let round = 0; round < 40; round += 1) {
      for (let rings = 0; rings < round % 4; rings += 1) sandbox.expect();
      if (round % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      expect(await echo("b", String(round))).toMatchObject({ value: `b${round}` });
    }
  });

  test("expecting a call starts nothing, and harms neither a running call nor a closed sandbox", async () => {
    const own = createSandbox();
    own.expect();
    expect(own.stats()).toEqual({ calls: 0, valuesSent: 0, bytesSent: 0, restarts: 0 });
    const running = own.evaluate({ space: "s", code: "let n = 0; for (let i = 0; i < 1e5; i++) n += i; return n", bindings: {} });
    own.expect();
    expect(await running).toMatchObject({ value: 4999950000 });
    own.expect();
    await own.close();
    own.expect();
  });
});
