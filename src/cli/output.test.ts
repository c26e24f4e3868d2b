import fc from "fast-check";
import { expect, test } from "vitest";
import { Writable } from "node:stream";
import { Output, plainText } from "./output.ts";

const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom("\u001b", "[", "8", "1", "m", "\u009b", "\u202e", "\u0007", "\r", "\n", "\u2066", "a"),
    fc.string({ minLength: 1, maxLength: 1 }),
  ),
});

test("without colours no control character but line breaks and tabs comes through", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(plainText(text, false)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    }),
  );
});

test("with colours only the styles of our own come through", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const left = plainText(text, true).replaceAll(/\u001b\[(?:1|2|22|31|32|33|36|39)m/g, "");
      expect(left).not.toMatch(/[\u001b\u009b\r]/);
    }),
  );
});

test("what cannot be seen is spelled out", () => {
  expect(plainText("rm -rf x\u001b[2K\rls", false)).toBe("rm -rf x\\u001b[2K\\u000dls");
  expect(plainText("rm\u200b \u001b[31m-rf\u2060\u001b[39m", true)).toBe("rm\\u200b \u001b[31m-rf\\u2060\u001b[39m");
  expect(plainText("a\u001b[8mhidden\u001b[0m", true)).toBe("a\\u001b[8mhidden\\u001b[0m");
});

function printed(flags: { readonly json: boolean; readonly jsonLines?: boolean }, say: (out: Output) => void): string {
  let text = "";
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  const out = new Output({ stdout: stream, stderr: stream, env: {} }, { ...flags, quiet: false });
  say(out);
  out.endList();
  return text;
}

test("many entries are one list with --json, lines with --jsonl, and nothing without", () => {
  const say = (out: Output): void => {
    out.entry({ a: 1 });
    out.document({ b: 2 });
  };
  expect(JSON.parse(printed({ json: true }, say))).toEqual([{ a: 1 }, { b: 2 }]);
  expect(printed({ json: false, jsonLines: true }, say)).toBe('{"a":1}\n{"b":2}\n');
  expect(printed({ json: false }, say)).toBe("");
  expect(printed({ json: true }, (out) => out.beginList())).toBe("[]\n");
  expect(printed({ json: false, jsonLines: true }, (out) => out.beginList())).toBe("");
});

test("a document is in one line with --jsonl", () => {
  expect(printed({ json: true }, (out) => out.document({ a: [1] }))).toBe('{\n  "a": [\n    1\n  ]\n}\n');
  expect(printed({ json: false, jsonLines: true }, (out) => out.document({ a: [1] }))).toBe('{"a":[1]}\n');
});
