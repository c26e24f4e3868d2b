import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { paceText, ProgressLine } from "./progress-line.ts";

test("how far, how fast and how long it takes, once there is a pace", () => {
  expect(paceText({ done: 1250, total: 12_300, ms: 1500 })).toBe("1,250 of 12,300 files, 833 files/s, 14 s left");
  expect(paceText({ done: 3, total: 1200, ms: 1000 })).toBe("3 of 1,200 files, 3.0 files/s, 7 min left");
  expect(paceText({ done: 10, total: 12, ms: 100 })).toBe("10 of 12 files");
  expect(paceText({ done: 0, total: 1, ms: 9000 })).toBe("0 of 1 file");
});

function drawn(terminal: object, flags: { readonly json?: boolean; readonly quiet?: boolean; readonly dumb?: boolean } = {}): string {
  let [text, at] = ["", 0];
  const stderr = Object.assign(
    new Writable({
      write: (chunk: Buffer, _encoding, next) => {
        text += chunk.toString();
        next();
      },
    }),
    terminal,
  );
  const world = { stderr, env: flags.dumb === true ? { TERM: "dumb" } : {} };
  const line = new ProgressLine({ world, out: { json: flags.json === true, quiet: flags.quiet === true } }, () => at);
  for (let done = 0; done <= 40; done += 1) {
    line.show(done, 40);
    at += 50;
  }
  line.clear();
  line.clear();
  return text;
}

test("a terminal sees one line that is drawn again ten times a second at most, and nothing of it stays", () => {
  const text = drawn({ isTTY: true, columns: 30 });
  const frames = text.split("\r\u001b[K");
  expect(frames.at(-1)).toBe("");
  expect(frames).toHaveLength(1 + 21 + 1);
  expect(Math.max(...frames.map((frame) => frame.length))).toBeLessThan(30);
});

test("nothing is written where nobody sees it, or nobody wants it", () => {
  expect([
    drawn({}),
    drawn({ isTTY: true }, { json: true }),
    drawn({ isTTY: true }, { quiet: true }),
    drawn({ isTTY: true }, { dumb: true }),
  ]).toEqual(["", "", "", ""]);
});
