import { expect, test } from "vitest";
import { shellWord, visibleText } from "./visible-text.ts";

test("what a terminal would obey or hide is spelled out, and lines stay lines", () => {
  expect(visibleText("rm x\u001b[2K\rls\u200b\u202e\n\tb")).toBe("rm x\\u001b[2K\\u000dls\\u200b\\u202e\n\tb");
});

test("what has no width is spelled out, but not where it shapes a letter or a picture", () => {
  expect(visibleText("r\u200dm\u00ad -r\ufe0f \u3164\u2060x\ufeff\u{e0041}")).toBe(
    "r\\u200dm\\u00ad -r\\ufe0f \\u3164\\u2060x\\ufeff\\ue0041",
  );
  const shaped = "⚠\ufe0f 👩\u200d💻 می\u200cخواهم";
  expect(visibleText(shaped)).toBe(shaped);
});

test("a word is quoted only where a shell needs it", () => {
  expect(["a/b", "a b", "it's", "", "a\nb"].map(shellWord)).toEqual(["a/b", "'a b'", "'it'\\''s'", "''", "$'a\\u000ab'"]);
});
