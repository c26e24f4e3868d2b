import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { textOf } from "../../src/base/index.ts";
import type { Conversations } from "../../src/ports/index.ts";
import { mainScope } from "../../src/kernel/index.ts";
import { openChat, type ChatBench } from "../support/chat-bench.ts";

let bench: ChatBench | undefined;
afterEach(() => bench?.close());

const greet = `name: greet
description: Says hello.
inputs: { user_message: { type: string, required: true } }
steps:
  - { id: hello, type: user_message, message: "Hello {{ inputs.user_message }}" }
`;

type Act =
  | { readonly do: "send"; readonly to: string; readonly how: "command" | "name" | "slash" }
  | { readonly do: "again"; readonly which: number }
  | { readonly do: "kill"; readonly after: number }
  | { readonly do: "settle" };

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("send" as const),
      to: fc.constantFrom("a", "b", "c"),
      how: fc.constantFrom("command" as const, "name" as const, "slash" as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("again" as const), which: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("kill" as const), after: fc.nat(60) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("settle" as const) }) },
);

const forms = { command: "/workflow run greet ", name: "greet: ", slash: "/greet " } as const;

/** What a process has until it is killed: after that nothing it asks for is answered, and what it asked before is done. */
class Process {
  readonly #open = new Set<Promise<unknown>>();
  #isDead = false;

  reach<T extends object>(port: T): T {
    return new Proxy(port, {
      get: (held, key) => {
        const value: unknown = Reflect.get(held, key, held);
        if (typeof value !== "function" || String(key).startsWith("get")) return typeof value === "function" ? value.bind(held) : value;
        return (...args: unknown[]): unknown => {
          const done: unknown = this.#isDead ? never : (value as (...given: unknown[]) => unknown).apply(held, args);
          if (!(done instanceof Promise)) return done;
          this.#open.add(done);
          const settled = (): void => void this.#open.delete(done);
          done.then(settled, settled);
          return done.then(
            (answer: unknown) => (this.#isDead ? never : answer),
            (error: unknown) => (this.#isDead ? never : Promise.reject(error as Error)),
          );
        };
      },
    });
  }

  async kill(): Promise<void> {
    this.#isDead = true;
    await Promise.allSettled([...this.#open].filter((each) => each !== never));
  }
}

const never = new Promise<never>(() => undefined);

test("each message starts one run, in the order of its conversation, whatever is repeated and whenever the process is killed", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 10 }), async (acts) => {
      let process = new Process();
      bench = await openChat({ ".waymark/workflows/greet.yaml": greet }, { allow: ["greet"], reach: (port) => process.reach(port) });
      const sent: { readonly conversation: string; readonly id: string; readonly text: string }[] = [];
      const { platform } = bench;
      const give = (at: number): void => {
        const message = sent[at];
        if (message !== undefined && bench !== undefined)
          void bench.chat.receive(bench.adapter, { ...message, person: "ann" }).catch(() => undefined);
      };
      for (const each of acts) {
        if (each.do === "send") {
          const id = `m${sent.length}`;
          give(sent.push({ conversation: each.to, id, text: `${forms[each.how]}${id}` }) - 1);
        } else if (each.do === "again") give(each.which % Math.max(1, sent.length));
        else if (each.do === "settle") await bench.chat.idle();
        else {
          for (let turn = 0; turn < each.after; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
          await process.kill();
          process = new Process();
          await bench.restart("killed");
          // The platform delivers again what it does not know to be taken.
          for (const at of sent.keys()) give(at);
        }
      }
      await bench.chat.idle();
      const started = await runsOf(bench);
      expect(started.map(({ message }) => message).toSorted()).toEqual(sent.map(({ id }) => id).toSorted());
      for (const conversation of ["a", "b", "c"]) {
        const order = sent.filter((each) => each.conversation === conversation).map(({ id }) => id);
        // Commands wait for no turn, so they are in order among themselves, and so is the rest.
        for (const isCommand of [true, false]) {
          const alike = sent.filter((each) => each.conversation === conversation && each.text.startsWith(forms.command) === isCommand);
          const ids = alike.map(({ id }) => id);
          expect(started.map(({ message }) => message).filter((id) => ids.includes(id))).toEqual(ids);
        }
        // Where several are open each is headed by its run.
        const texts = platform.textsIn(conversation).map((text) => text.replace(/^Run `[^`]+`:\n\n/, ""));
        const hellos = texts.filter((text) => text.startsWith("Hello"));
        expect([...new Set(hellos)].toSorted()).toEqual(order.map((id) => `Hello ${id}`).toSorted());
      }
      await bench.close();
      bench = undefined;
    }),
    { numRuns: 15 },
  );
});

/** Oldest first. */
async function runsOf({ conversations, engine }: { readonly conversations: Conversations; readonly engine: ChatBench["engine"] }) {
  expect(await conversations.openMessages("test")).toEqual([]);
  const rows = await engine.context.store.listRuns({});
  const all = await Promise.all(
    rows.map(async ({ id, createdAt }) => {
      const { state } = await engine.context.runs.open(id);
      expect(state.status).toBe("completed");
      return { message: textOf(state.scopes[mainScope]?.inputs["user_message"] ?? ""), createdAt, id };
    }),
  );
  return all.toReversed();
}
