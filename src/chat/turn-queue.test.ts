import fc from "fast-check";
import { expect, test } from "vitest";
import { TurnQueue } from "./turn-queue.ts";

interface Turn {
  readonly of: string;
  readonly number: number;
  end: () => void;
}

function bench(max: number) {
  const queue = new TurnQueue(max);
  const running: Turn[] = [];
  const begun: string[] = [];
  const add = (of: string, number: number): Promise<boolean> =>
    queue.add(of, () => {
      begun.push(`${of}${number}`);
      return new Promise((resolve) => void running.push({ of, number, end: resolve }));
    });
  return { queue, running, begun, add };
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

test("one at a time in a conversation, so many conversations at once, each in its order", async () => {
  const conversations = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(conversations, fc.integer({ min: 1, max: 3 }), fc.array(fc.nat(9), { maxLength: 40 }), async (order, max, picks) => {
      const { queue, running, begun, add } = bench(max);
      const counts = new Map<string, number>();
      const expected = order.map((of) => {
        const number = (counts.get(of) ?? 0) + 1;
        counts.set(of, number);
        return { of, number };
      });
      const done = expected.map(({ of, number }) => add(of, number));
      for (const pick of [...picks, ...expected.map(() => 0)]) {
        await settle();
        expect(running.length).toBeLessThanOrEqual(max);
        expect(new Set(running.map(({ of }) => of)).size).toBe(running.length);
        expect(queue.active).toBe(running.length);
        running.splice(pick % Math.max(1, running.length), 1)[0]?.end();
      }
      expect(await Promise.all(done)).toEqual(expected.map(() => true));
      await settle();
      expect(begun).toHaveLength(expected.length);
      for (const of of counts.keys())
        expect(begun.filter((name) => name.startsWith(of))).toEqual(
          expected.filter((each) => each.of === of).map(({ number }) => `${of}${number}`),
        );
      expect([queue.active, queue.queued]).toEqual([0, 0]);
    }),
    { numRuns: 60 },
  );
});

test("what fails is for who added it, and what follows begins", async () => {
  const queue = new TurnQueue(1);
  const failed = queue.add("a", () => Promise.reject(new Error("no")));
  const next = queue.add("a", () => Promise.resolve());
  await expect(failed).rejects.toThrow("no");
  expect(await next).toBe(true);
});

test("closed, what is under way ends and nothing begins", async () => {
  const { queue, running, begun, add } = bench(1);
  const [first, second, third] = [add("a", 1), add("a", 2), add("b", 1)];
  await settle();
  queue.close();
  running[0]?.end();
  expect(await Promise.all([first, second, third, add("c", 1)])).toEqual([true, false, false, false]);
  expect(begun).toEqual(["a1"]);
});
