import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Encoding } from "../../ports/index.ts";
import { ByteOffsets } from "./byte-offsets.ts";
import { decodeBytes } from "./decode.ts";
import { editBytes, encodeText, unencodableReason } from "./encode.ts";
import { LineIndex, mainLineEnd } from "./line-index.ts";

const marks: Readonly<Record<string, readonly number[]>> = {
  "utf-8-bom": [0xef, 0xbb, 0xbf],
  "utf-16le": [0xff, 0xfe],
  "utf-16be": [0xfe, 0xff],
};
const encodings: readonly Encoding[] = ["utf-8", "utf-8-bom", "utf-16le", "utf-16be", "windows-1252"];

function file(text: string, encoding: Encoding): Uint8Array {
  return Buffer.concat([Uint8Array.from(marks[encoding] ?? []), encodeText(text, encoding)]);
}

/** Text with every kind of line end, that an encoding can hold and that is read back in it. */
function textIn(encoding: Encoding): fc.Arbitrary<string> {
  const narrow = ["a", "B", "7", " ", "'", "(", ")", "\n", "\r", "\r\n", "\t", "é", "ß", "€", "„", "Ÿ"];
  const wide = [...narrow, "中", "😀", "\ufeff", "\ufffd", "Ж"];
  const pieces = fc.array(fc.constantFrom(...(encoding === "windows-1252" ? narrow : wide)), { maxLength: 60, size: "max" });
  return pieces.map((list) => list.join("") + (encoding === "windows-1252" ? "é(" : ""));
}

const sampleFile = fc
  .constantFrom(...encodings)
  .chain((encoding) => textIn(encoding).map((text) => ({ encoding, text, bytes: file(text, encoding) })));

describe("decoding", () => {
  test("gives back the text and the encoding", () => {
    fc.assert(
      fc.property(sampleFile, ({ encoding, text, bytes }) => {
        // A mark at the beginning of UTF-8 text is the mark of the file.
        fc.pre(!(encoding === "utf-8" && text.startsWith("\ufeff")));
        expect(decodeBytes(bytes)).toEqual({ kind: "text", text, encoding, bom: (marks[encoding] ?? []).length });
      }),
    );
  });

  test.each([
    ["UTF-16 without a mark, little end first", Buffer.from("codeunit 50100 Ä\r\n", "utf16le"), "utf-16le"],
    ["UTF-16 without a mark, big end first", Buffer.from("codeunit 50100 Ä\r\n", "utf16le").swap16(), "utf-16be"],
    ["a lone byte of Windows-1252", Buffer.from("Error('f\xfcr')", "latin1"), "windows-1252"],
    ["bytes of Windows-1252 after the mark of UTF-8", Buffer.from("\xef\xbb\xbfError('f\xfcr')", "latin1"), "windows-1252"],
    ["a replacement character that is really there", Buffer.from("a\ufffdb"), "utf-8"],
    ["nothing", Buffer.alloc(0), "utf-8"],
  ])("%s", (_name, bytes, encoding) => {
    expect(decodeBytes(bytes)).toMatchObject({ kind: "text", encoding });
  });

  test.each([
    ["a zero byte", Buffer.from("abc\0def")],
    ["zero bytes on both sides", Buffer.from([0, 0, 1, 0, 65, 0, 0, 66])],
    ["the mark of UTF-32", Buffer.from([0xff, 0xfe, 0, 0, 65, 0, 0, 0])],
    ["the beginning of an archive", Buffer.from([0x1f, 0x8b, 0x08, 0x81, 0x03, 0xff, 0x90, 0x11])],
    ["UTF-16 with control characters", Buffer.from("a\u0001b\u0002c", "utf16le")],
  ])("%s is binary", (_name, bytes) => {
    expect(decodeBytes(bytes).kind).toBe("binary");
  });

  test("the letters of Windows-1252 are not those of Latin-1", () => {
    expect(decodeBytes(Buffer.from([0x80, 0x84, 0x93, 0xe9]))).toMatchObject({ text: "€„“é" });
  });
});

describe("offsets", () => {
  test("every offset leads to the bytes of what lies before it", () => {
    fc.assert(
      fc.property(sampleFile, fc.nat(40), ({ encoding, text, bytes }, times) => {
        const long = text.repeat(times + 1);
        const whole = times === 0 ? bytes : file(long, encoding);
        const bom = (marks[encoding] ?? []).length;
        const offsets = new ByteOffsets({ text: long, encoding, bom }, whole.length);
        const units = [0, long.length, Math.floor(long.length / 2), Math.floor(long.length / 3)];
        for (const unit of units) {
          const cut = /[\ud800-\udbff]$/.test(long.slice(0, unit)) ? unit + 1 : unit;
          expect(offsets.at(unit)).toBe(bom + (encoding.startsWith("utf-16") ? unit * 2 : encodeText(long.slice(0, cut), encoding).length));
        }
      }),
    );
  });

  test("lines and columns", () => {
    const lines = new LineIndex("ab\ncd\r\nef\rgh\r\r\n\n");
    expect([0, 2, 3, 6, 7, 10, 12, 13, 14, 15].map((at) => lines.placeAt(at))).toEqual([
      { line: 1, column: 1 },
      { line: 1, column: 3 },
      { line: 2, column: 1 },
      { line: 2, column: 4 },
      { line: 3, column: 1 },
      { line: 4, column: 1 },
      { line: 4, column: 3 },
      { line: 5, column: 1 },
      { line: 5, column: 2 },
      { line: 6, column: 1 },
    ]);
    expect([1, 2, 3, 4, 5, 6, 7].map((line) => lines.textOf(line))).toEqual(["ab", "cd", "ef", "gh", "", "", ""]);
  });

  test("a place leads back to its offset", () => {
    fc.assert(
      fc.property(textIn("utf-8"), fc.nat(), (text, seed) => {
        const at = seed % (text.length + 1);
        const lines = new LineIndex(text);
        const { line, column } = lines.placeAt(at);
        expect(lines.startOf(line) + column - 1).toBe(at);
        expect(line).toBe(
          text.slice(0, at).split(/\r\n|\n|\r(?!$)/).length - (text.slice(0, at).endsWith("\r") ? (text[at] === "\n" ? 0 : -1) : 0),
        );
      }),
    );
  });

  test("the line end of most lines", () => {
    expect(["a\nb\nc\r\n", "a\r\nb\r\nc\n", "a\rb\r", "a"].map(mainLineEnd)).toEqual(["\n", "\r\n", "\r", "\n"]);
  });
});

describe("edits", () => {
  const insert = fc.constantFrom("", "x", "ErrorInfo.Create(", "é", "\r\n");

  test("every byte outside the edits stays, in every encoding and with every line end", () => {
    fc.assert(
      fc.property(sampleFile, fc.array(fc.tuple(fc.nat(), fc.nat(3), insert), { maxLength: 5 }), ({ encoding, text, bytes }, wishes) => {
        const decoded = decodeBytes(bytes);
        if (decoded.kind !== "text") throw new Error("binary");
        fc.pre(decoded.encoding === encoding);
        const offsets = new ByteOffsets(decoded, bytes.length);
        const whole = (unit: number): number => (/^[\udc00-\udfff]/.test(text.slice(unit)) ? unit + 1 : unit);
        const units = wishes
          .map(([at, length, put]) => ({ start: whole(at % (text.length + 1)), length, put }))
          .map(({ start, length, put }) => ({ start, end: whole(Math.min(text.length, start + length)), put }))
          .sort((a, b) => a.start - b.start || a.end - b.end)
          .filter((edit, index, all) => index === 0 || edit.start > Math.max(...all.slice(0, index).map((other) => other.end)));
        const edits = units.map(({ start, end, put }) => ({ start: offsets.at(start), end: offsets.at(end), text: put }));
        const { bytes: after, removed } = editBytes(bytes, encoding, edits);

        const expected = [...units].reverse().reduce((now, { start, end, put }) => now.slice(0, start) + put + now.slice(end), text);
        expect(Buffer.from(after).equals(file(expected, encoding))).toBe(true);
        // Undone from the beginning, the removed bytes give the file back.
        let undone = Buffer.from(after);
        for (const [index, edit] of edits.entries()) {
          const put = encodeText(edit.text, encoding).length;
          undone = Buffer.concat([undone.subarray(0, edit.start), removed[index] ?? Buffer.alloc(0), undone.subarray(edit.start + put)]);
        }
        expect(undone.equals(bytes)).toBe(true);
      }),
    );
  });

  test.each([
    ["outside", "utf-8", [{ start: 0, end: 99, text: "" }]],
    ["the wrong way round", "utf-8", [{ start: 2, end: 1, text: "" }]],
    [
      "overlapping",
      "utf-8",
      [
        { start: 0, end: 2, text: "" },
        { start: 1, end: 1, text: "" },
      ],
    ],
    ["in a character", "utf-8", [{ start: 2, end: 2, text: "x" }]],
    ["in the mark", "utf-8-bom", [{ start: 0, end: 0, text: "x" }]],
    ["in a unit", "utf-16le", [{ start: 3, end: 4, text: "x" }]],
    ["in the mark of UTF-16", "utf-16be", [{ start: 0, end: 0, text: "x" }]],
    ["in a pair", "utf-16le", [{ start: 6, end: 6, text: "x" }]],
  ] as const)("an edit %s is refused", (_name, encoding, edits) => {
    const text = encoding.startsWith("utf-16") ? "a😀b" : "aéb";
    expect(() => editBytes(file(text, encoding), encoding, edits)).toThrow(expect.objectContaining({ code: "SCAN_BAD_EDIT" }));
  });

  test("an edit before a mark that stands above bytes of Windows-1252 is refused", () => {
    const bytes = Buffer.from("\xef\xbb\xbfa\xfc", "latin1");
    expect(() => editBytes(bytes, "windows-1252", [{ start: 0, end: 0, text: "x" }])).toThrow(
      expect.objectContaining({ code: "SCAN_BAD_EDIT" }),
    );
    expect(Buffer.from(editBytes(bytes, "windows-1252", [{ start: 3, end: 4, text: "b" }]).bytes).toString("latin1")).toBe(
      "\xef\xbb\xbfb\xfc",
    );
  });

  test("what an encoding lacks is refused with the character", () => {
    expect(unencodableReason("中", "windows-1252")).toContain("`中`");
    expect(unencodableReason("€„Ÿ", "windows-1252")).toBeUndefined();
    expect(unencodableReason("a\ud800", "utf-8")).toContain("surrogate");
    expect(() => editBytes(Buffer.from("a\xfc", "latin1"), "windows-1252", [{ start: 0, end: 0, text: "Ж" }])).toThrow(
      expect.objectContaining({ code: "SCAN_UNENCODABLE" }),
    );
  });
});
