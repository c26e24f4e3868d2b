import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeText, encodeText } from "./stored-text.ts";

const special = fc.constantFrom("\0", "\u0001", "\u0002", "a", "\ud7fe", "\ud7ff", "\ud800", "\udc00", "\ue000", "\uffff", "é");
const text = fc.oneof(fc.string({ unit: special }), fc.string({ unit: "binary" }));

test("every text comes back", () => {
  fc.assert(fc.property(text, (one) => decodeText(encodeText(one)) === one));
});

test("what is stored is well-formed and free of U+0000", () => {
  fc.assert(fc.property(text, (one) => !encodeText(one).includes("\0") && Buffer.from(encodeText(one)).toString() === encodeText(one)));
});

test("bytes sort as code units do", () => {
  fc.assert(
    fc.property(
      text,
      text,
      (a, b) => Buffer.compare(Buffer.from(encodeText(a)), Buffer.from(encodeText(b))) === (a < b ? -1 : a > b ? 1 : 0),
    ),
  );
});

test("ordinary text is stored as it is", () => {
  for (const plain of ["", "src/app.ts", "a5000", "grün"]) expect(encodeText(plain)).toBe(plain);
});
