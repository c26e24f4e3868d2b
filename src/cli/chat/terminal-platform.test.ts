import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Incoming } from "../../chat/index.ts";
import { Output } from "../output.ts";
import { TerminalPlatform, type TerminalParts } from "./terminal-platform.ts";

interface Opened {
  readonly platform: TerminalPlatform;
  readonly heard: Incoming[];
  readonly stdin: PassThrough;
  readonly text: () => string;
}

function open({
  isTerminal = false,
  jsonLines = false,
  ...more
}: Partial<TerminalParts & { isTerminal: boolean; jsonLines: boolean }> = {}): Opened {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const heard: Incoming[] = [];
  let text = "";
  stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const platform = new TerminalPlatform({
    world: { stdin, stdout, isTerminal },
    out: new Output({ stdout, stderr, env: {} }, { json: false, jsonLines, quiet: false }),
    conversation: "main",
    person: "ada",
    mode: "stream",
    receive: async (message) => {
      heard.push(message);
      return "taken";
    },
    idle: async () => undefined,
    ...more,
  });
  return { platform, heard, stdin, text: () => text };
}

async function* pieces(...texts: readonly string[]): AsyncGenerator<string> {
  for (const text of texts) {
    await turn();
    yield text;
  }
}

test("each line of a script is a message of its own, and empty ones are none", async () => {
  const { platform, heard, stdin } = open();
  await platform.start();
  stdin.end("/workflow list\n\n  \nBuild a dark mode feature");
  await platform.ended;
  expect(heard.map(({ text }) => text)).toEqual(["/workflow list", "Build a dark mode feature"]);
  expect(heard[0]).toMatchObject({ conversation: "main", person: "ada" });
  expect(new Set(heard.map(({ id }) => id)).size).toBe(2);
});

test("a script's next line waits until what the last one led to is done", async () => {
  const waits: (() => void)[] = [];
  const { platform, heard, stdin } = open({ idle: () => new Promise((resolve) => waits.push(resolve)) });
  await platform.start();
  stdin.end("one\ntwo\n");
  await expect.poll(() => waits.length).toBe(1);
  expect(heard.map(({ text }) => text)).toEqual(["one"]);
  waits[0]?.();
  await expect.poll(() => waits.length).toBe(2);
  expect(heard.map(({ text }) => text)).toEqual(["one", "two"]);
  waits[1]?.();
  await platform.ended;
});

test("at a terminal, lines that come at once were pasted and are one message", async () => {
  const { platform, heard, stdin } = open({ isTerminal: true });
  await platform.start();
  stdin.write("a stack\r\n  at b\r\n  at c\r");
  await expect.poll(() => heard.length).toBe(1);
  stdin.write("next\r");
  await expect.poll(() => heard.length).toBe(2);
  expect(heard.map(({ text }) => text)).toEqual(["a stack\n  at b\n  at c", "next"]);
  await platform.stop();
});

test("at a terminal, a message is given at once, also while the one before it is being kept", async () => {
  const heard: string[] = [];
  let keep = (): void => undefined;
  const kept = new Promise<void>((resolve) => (keep = resolve));
  const receive: TerminalParts["receive"] = async ({ text }) => {
    heard.push(text);
    await kept;
    return "taken";
  };
  const { platform, stdin } = open({ isTerminal: true, receive });
  await platform.start();
  for (const text of ["one", "two"]) {
    stdin.write(`${text}\r`);
    await expect.poll(() => heard.at(-1)).toBe(text);
  }
  keep();
  await platform.stop();
  await platform.ended;
});

test("what could not be kept ends the chat with its reason", async () => {
  const { platform, stdin } = open({ receive: () => Promise.reject(new Error("the disk is full")) });
  await platform.start();
  stdin.write("x\n");
  await expect(platform.ended).rejects.toThrow("the disk is full");
});

test("messages are shown whole and in order, growing ones as they grow", async () => {
  const { platform, text } = open();
  await Promise.all([platform.send("main", pieces("one ", "two ", "three")), platform.send("main", "**Step 1/3**: plan")]);
  expect(text()).toBe("one two three\n**Step 1/3**: plan\n");
});

test("a message that fails in the middle does not keep back the next one", async () => {
  const { platform, text } = open();
  async function* failing(): AsyncGenerator<string> {
    yield "begun";
    throw new Error("gone");
  }
  await expect(platform.send("main", failing())).rejects.toThrow("gone");
  await platform.send("main", "next");
  expect(text()).toBe("begun\nnext\n");
});

test("what could move the cursor is spelled out, also where pieces divide it", async () => {
  const { platform, text } = open();
  await platform.send("main", "a\u001b[2Jb");
  await platform.send("main", pieces("x\r", "\ny\ud83d", "\ude00\u001b", "[1A"));
  expect(text()).toBe("a\\u001b[2Jb\nx\ny\u{1f600}\\u001b[1A\n");
});

test("what is being typed is shown again below a message", async () => {
  const { platform, stdin, text } = open({ isTerminal: true });
  await platform.start();
  stdin.write("/sta");
  await expect.poll(() => text()).toContain("/sta");
  await platform.send("main", "**Workflow complete**: plan");
  const [, after = ""] = text().split("**Workflow complete**: plan\n");
  expect(after).toContain("> /sta");
  await platform.stop();
});

test("after Ctrl-D messages are shown without a prompt, and nothing waits for the keyboard", async () => {
  const { platform, stdin, text } = open({ isTerminal: true });
  await platform.start();
  stdin.write("\u0004");
  await platform.ended;
  const before = text().length;
  await platform.send("main", "**Node**: second");
  expect(text().slice(before)).toBe("**Node**: second\n");
  expect(stdin.isPaused()).toBe(true);
});

test("what other conversations left open is theirs", () => {
  const { platform } = open();
  expect([platform.serves("main"), platform.serves("other")]).toEqual([true, false]);
});

test.each([false, true])(
  "for programs each message is one line of JSON, and nothing else is shown; at a terminal: %s",
  async (isTerminal) => {
    const { platform, stdin, heard, text } = open({ jsonLines: true, isTerminal });
    await platform.start();
    stdin.write("hello\n");
    await expect.poll(() => heard.length).toBe(1);
    await platform.send("main", pieces("one ", "two"));
    await platform.stop();
    expect(text()).toBe('{"conversationId":"main","message":"one two"}\n');
  },
);
