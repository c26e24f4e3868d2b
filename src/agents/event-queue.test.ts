import { expect, test } from "vitest";
import { EventQueue } from "./event-queue.ts";

test("it is drained when all that was put in is dealt with, and not while that is being done", async () => {
  const queue = new EventQueue<number>();
  const seen: string[] = [];
  const taking = (async () => {
    for await (const value of queue) {
      await Promise.resolve();
      seen.push(`took ${value}`);
    }
  })();
  queue.put(1);
  queue.put(2);
  await queue.drained().then(() => seen.push("drained"));
  queue.put(3);
  queue.close();
  await taking;
  expect(seen).toEqual(["took 1", "took 2", "drained", "took 3"]);
});

test("one that is closed and empty is drained", async () => {
  const queue = new EventQueue<number>();
  queue.close();
  const drained = queue.drained();
  for await (const value of queue) expect(value).toBeUndefined();
  await drained;
  expect(await queue[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
});
