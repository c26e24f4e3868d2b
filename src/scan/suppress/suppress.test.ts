import { describe, expect, test } from "vitest";
import type { PatternSpec } from "../../ports/index.ts";
import { compileRules } from "../compile-rules.ts";
import { scanBytes } from "../scan-file.ts";

const plain = { name: "", description: "", contextLines: 0, rules: [], transformations: [] };
const patterns: readonly PatternSpec[] = [
  {
    ...plain,
    id: "evil",
    regex: "\\bevil\\b",
    in: "code",
    sameAs: ["eslint/no-eval", "biome/security/noGlobalEval", "ruff/S307", "pylint/eval-used", "bandit/B307", "clang-tidy/cert-env33-c"],
  },
  { ...plain, id: "loose", regex: "\\bany\\b", in: "code", sameAs: ["eslint/@typescript-eslint/no-explicit-any"] },
];
const rules = compileRules({ patterns });

interface Seen {
  /** `line pattern` of what is left to be handed out. */
  readonly open: readonly string[];
  readonly suppressed: readonly string[];
  readonly problems: readonly string[];
}

function seen(text: string, path = "a.ts"): Seen {
  const { instances, suppressed = [], problems } = scanBytes(Buffer.from(text), path, rules);
  return {
    open: instances.map(({ line, pattern }) => `${line} ${pattern}`),
    suppressed: suppressed.map(
      ({ line, pattern, suppressed: by }) => `${line} ${pattern}${by.reason === undefined ? "" : `: ${by.reason}`}`,
    ),
    problems: problems.map(({ code }) => code),
  };
}

const open = (text: string, path?: string): readonly string[] => seen(text, path).open;

describe("waymark-ignore", () => {
  test("at the end of the line, or alone on the line before, with a rule and a reason", () => {
    expect(seen("evil // waymark-ignore evil it is the vault's own name\nevil\n")).toEqual({
      open: ["2 evil"],
      suppressed: ["1 evil: it is the vault's own name"],
      problems: [],
    });
    expect(seen("// waymark-ignore evil -- checked\nevil\nevil\n")).toMatchObject({ open: ["3 evil"], suppressed: ["2 evil: checked"] });
    expect(open("/* waymark-ignore evil: checked */\nevil\n")).toEqual([]);
    expect(open("# waymark-ignore evil checked\nevil\n", "a.py")).toEqual([]);
    expect(open("<a>\n  {/* waymark-ignore evil checked */}\n  {evil}\n</a>;\n", "a.tsx")).toEqual([]);
  });

  test("without a reason it is said and does not count", () => {
    expect(seen("evil // waymark-ignore evil\n")).toEqual({ open: ["1 evil"], suppressed: [], problems: ["SCAN_IGNORED_WITHOUT_REASON"] });
    expect(seen("fine // waymark-ignore\n").problems).toEqual(["SCAN_IGNORED_WITHOUT_REASON"]);
  });

  test("it settles the rules that it names, on its line alone", () => {
    expect(open("const evil: any = 1; // waymark-ignore loose the type is unknown\n")).toEqual(["1 evil"]);
    expect(open("const evil: any = 1; // waymark-ignore loose,evil both are meant\n")).toEqual([]);
    expect(open("x(); // waymark-ignore evil checked\nevil\n")).toEqual(["2 evil"]);
    expect(open("// waymark-ignore evil checked\n// Another comment.\nevil\n")).toEqual([]);
  });

  test("only a comment is a directive", () => {
    expect(open('const text = "// waymark-ignore evil no comment"; evil\n')).toEqual(["1 evil"]);
    expect(open("const text = `\n// eslint-disable-next-line\n`; evil\n")).toEqual(["3 evil"]);
  });

  test("it settles what a pattern found over several lines", () => {
    const long = compileRules({ patterns: [{ ...plain, id: "long", regex: "one\\s+two" }] });
    const scan = scanBytes(Buffer.from("one\ntwo // waymark-ignore long checked\n"), "a.ts", long);
    expect([scan.instances.length, scan.suppressed?.length]).toEqual([0, 1]);
  });
});

describe("directives of other tools settle our rules that mean the same", () => {
  test.each([
    ["evil // eslint-disable-line no-eval\n"],
    ["evil // eslint-disable-line\n"],
    ["evil /* eslint-disable-line no-eval, no-console -- meant so */\n"],
    ["// eslint-disable-next-line no-eval\nevil\n"],
    ["// oxlint-disable-next-line eslint/no-eval\nevil\n"],
    ["/* eslint-disable-next-line\n   no-eval\n*/\nevil\n"],
    ["/* eslint-disable no-eval */\n\nevil\n"],
    ["/* eslint-disable */\nevil\n"],
    ["// oxlint-disable no-eval\nevil\n"],
    ["// biome-ignore lint/security/noGlobalEval: meant so\nevil\n"],
    ["// biome-ignore lint/security: meant so\nevil\n"],
    ["// biome-ignore lint: meant so\nevil\n"],
    ["// biome-ignore lint/style/useConst: a\n// biome-ignore lint/security/noGlobalEval: b\nevil\n"],
    ["// biome-ignore-all lint/security/noGlobalEval: generated\nx\nevil\n"],
    ["evil // NOLINT\n"],
    ["evil // NOLINT(cert-env33-c)\n"],
    ["evil // NOLINT(cert-*)\n"],
    ["// NOLINTNEXTLINE(cert-env33-c)\nevil\n"],
    ["// NOLINTBEGIN(cert-env33-c)\nevil\n// NOLINTEND(cert-env33-c)\n"],
  ])("%j", (text) => {
    expect(seen(text)).toMatchObject({ open: [], suppressed: [expect.stringContaining("evil")] });
  });

  test.each([
    ["evil  # noqa\n"],
    ["evil  # nosec\n"],
    ["evil  # nosec B307\n"],
    ["evil  # nosemgrep\n"],
    ["evil  # pylint: disable=eval-used\n"],
    ["# pylint: disable=eval-used\nevil\n"],
    ["evil  # noqa: S307\n"],
    ["evil  # noqa:E501,s307\n"],
    ["# ruff: noqa\nevil\n"],
    ["# ruff: noqa: S307\n\nevil\n"],
  ])("%j", (text) => expect(open(text, "a.py")).toEqual([]));

  test.each([
    ["evil // eslint-disable-line no-console\n"],
    ["evil // eslint-disable-line-x\n"],
    ["// eslint-disable no-eval\nevil\n"],
    ["// eslint-disable-next-line no-eval\n\nevil\n"],
    ["// biome-ignore lint/security/noGlobalEval\nevil\n"],
    ["// biome-ignore format: wide\nevil\n"],
    ["// biome-ignore lint/style: meant so\nevil\n"],
    ["evil // NOLINT(bugprone-x)\n"],
    ["evil // NOLINTING\n"],
    ["// @ts-ignore\nevil\n"],
    ["// @ts-expect-error: broken\nevil\n"],
    ["// @ts-nocheck\nevil\n"],
    ["evil // see the page about eslint-disable-line\n"],
  ])("%j settles nothing of it", (text) => {
    expect(seen(text)).toMatchObject({ open: [expect.stringContaining("evil")], suppressed: [] });
  });

  test.each([
    ["evil  # noqa: E501\n"],
    ["# noqa\nevil\n"],
    ["evil  # type: ignore\n"],
    ["evil  # nosec B101\n"],
    ["evil  # pylint: disable=unused-import\n"],
  ])("%j settles nothing of it", (text) => expect(open(text, "a.py")).toHaveLength(1));

  test("a range ends where its rules are switched on again", () => {
    const text = "/* eslint-disable no-eval, no-console -- old code */\nevil\n/* eslint-enable no-eval */\nevil\n";
    expect(seen(text)).toEqual({ open: ["4 evil"], suppressed: ["2 evil: old code"], problems: [] });
    expect(open("/* eslint-disable */\nevil\n/* eslint-enable no-eval */\nevil\nlet a: any;\n")).toEqual(["4 evil"]);
    expect(open("/* eslint-disable */\nevil\n/* eslint-enable */\nevil\n")).toEqual(["4 evil"]);
    expect(open("// NOLINTBEGIN\nevil\n// NOLINTEND\nevil\n")).toEqual(["4 evil"]);
  });

  test("the plugin for TypeScript has several names, and a reason is kept", () => {
    expect(open("// oxlint-disable no-explicit-any -- from outside\nlet a: any;\n")).toEqual([]);
    for (const plugin of ["@typescript-eslint", "typescript-eslint", "typescript"])
      expect(open(`// eslint-disable-next-line ${plugin}/no-explicit-any\nlet a: any;\n`)).toEqual([]);
    expect(seen("let a: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- from outside\n").suppressed).toEqual([
      "1 loose: from outside",
    ]);
  });
});
