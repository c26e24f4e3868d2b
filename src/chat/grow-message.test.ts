import { expect, test } from "vitest";
import { DrivenTime } from "../../test/support/driven-time.ts";
import { growMessage } from "./grow-message.ts";
import { TextChannel } from "./text-channel.ts";

interface Shown {
  readonly at: number;
  readonly how: "post" | "edit";
  readonly text: string;
}

function bench(fails: (shown: Shown) => boolean = () => false) {
  const time = new DrivenTime(0);
  const pieces = new TextChannel();
  const shown: Shown[] = [];
  const show = (how: Shown["how"], text: string): Promise<void> => {
    const now = { at: time.now(), how, text };
    shown.push(now);
    return fails(now) ? Promise.reject(new Error(`cannot ${how}`)) : Promise.resolve();
  };
  const done = growMessage(
    pieces,
    { post: (text) => show("post", text).then(() => 7), edit: (_, text) => show("edit", text) },
    time.alarms,
  );
  const ended = done.then(
    () => "sent",
    (error: Error) => error.message,
  );
  return { time, pieces, shown, ended };
}

test("a message is posted with its first words, edited at most every 500 ms, and complete at the end", async () => {
  const { time, pieces, shown, ended } = bench();
  await time.advance(100);
  pieces.push("one ");
  await time.advance(10);
  for (let word = 0; word < 100; word += 1) {
    pieces.push("more ");
    await time.advance(10);
  }
  pieces.push("last");
  pieces.close();
  await time.advance(1000);
  expect(await ended).toBe("sent");
  expect(shown[0]).toEqual({ at: 100, how: "post", text: "one " });
  expect(shown.at(-1)?.text).toBe(`one ${"more ".repeat(100)}last`);
  expect(shown.length).toBeLessThan(6);
  const pauses = shown.slice(1).map(({ at }, before) => at - shown[before]!.at);
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(500);
});

test("nothing is posted for nothing, and nothing is edited that looks the same", async () => {
  const empty = bench();
  empty.pieces.push("  \n");
  empty.pieces.close();
  await empty.time.advance(1000);
  expect([await empty.ended, empty.shown]).toEqual(["sent", []]);
  const once = bench();
  once.pieces.push("whole");
  once.pieces.push("\n");
  once.pieces.close();
  await once.time.advance(2000);
  expect([await once.ended, once.shown.length]).toEqual(["sent", 1]);
});

test("an edit in between that fails is made up for; the last one that fails is an error", async () => {
  const early = bench(({ text }) => text === "a b");
  early.pieces.push("a");
  await early.time.advance(10);
  early.pieces.push(" b");
  await early.time.advance(600);
  early.pieces.push(" c");
  early.pieces.close();
  await early.time.advance(1000);
  expect([await early.ended, early.shown.map(({ text }) => text)]).toEqual(["sent", ["a", "a b", "a b c"]]);
  const late = bench(({ how }) => how === "edit");
  late.pieces.push("a");
  await late.time.advance(10);
  late.pieces.push(" b");
  late.pieces.close();
  await late.time.advance(1000);
  expect(await late.ended).toBe("cannot edit");
});
