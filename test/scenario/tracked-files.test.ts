/** What is tracked says nothing about the machine it was written on. The rule is also run on planted traces. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

/** Traces of the machine something was written on: absolute paths of its folders, and where its packages came from. */
function traces(text: string): string[] {
  const folders = ["work", "root"].join("|");
  const forms = [
    new RegExp(`(?<![\\w.~*}-])/(?:${folders})/[\\w.]+`, "g"),
    /\bregistry\.[\w.-]+\.(?:org|com|net|io|dev|cn|internal|local)\b/g,
    /\bhttps?:\/\/[\w.-]*(?:registry|artifactory|verdaccio|nexus)[\w.-]*/g,
    /"resolved":\s*"https?:[^"]*"/g,
  ];
  return forms.flatMap((form) => text.match(form) ?? []);
}

function readTracked(): { readonly file: string; readonly text: string }[] {
  const files = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" }).split("\0").filter(Boolean);
  return files
    .filter((file) => existsSync(join(root, file)))
    .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }))
    .filter(({ text }) => !text.includes("\0"));
}

test("no tracked file carries a trace of the machine it was written on", () => {
  const tracked = readTracked();
  expect(tracked.length).toBeGreaterThan(40);
  expect(tracked.flatMap(({ file, text }) => traces(text).map((trace) => `${file}: ${trace}`))).toEqual([]);
});

describe("planted traces are found", () => {
  test("a trace of a machine", () => {
    const slash = "/";
    const planted = [
      `cd ${slash}work${slash}project`,
      `"${slash}root${slash}.npmrc"`,
      `file:${slash}${slash}${slash}root${slash}x`,
      ["registry", "npmjs", "org"].join("."),
      ["https:", "", "packages-registry.example", "npm"].join("/"),
      `"resolved": "${["https:", "", "example.test", "a.tgz"].join("/")}"`,
    ];
    expect(planted.filter((text) => traces(text).length === 0)).toEqual([]);
  });

  test("ordinary text is no trace", () => {
    const slash = "/";
    const ordinary = [
      "src/work/item.ts",
      `net${slash}work${slash}shop`,
      "registry.get(name)",
      "https://example.test/",
      `a${slash}root${slash}b`,
    ];
    expect(ordinary.flatMap(traces)).toEqual([]);
  });
});
