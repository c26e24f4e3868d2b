import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { catalogues } from "../../scripts/docs/rooms.ts";

const root = resolve(import.meta.dirname, "../../src");
const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !/\.(?:test|contract|child)\.ts$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
const entries = Object.values(catalogues).flatMap((codes) => Object.entries(codes));
const catalogued = new Set(entries.map(([code]) => code));

const rooms = ["BOTS", "CHECKLIST", "CLI", "DIALECTS", "ENGINE", "HOST", "HTTP", "KNOWLEDGE", "MACHINE", "MCP", "SANDBOX", "SCAN"];
const prefixed = new RegExp(`"((?:${[...rooms, "STATE", "STEPS", "STORE", "WORKSPACE"].join("|")})_[A-Z0-9_]+)"`, "g");
/** A value of `code`, also one of two, and the first argument of the factories that take one. */
const given = /\b(?:code: |(?:\w+C|c)ode = )(?!string)([^;\n]*)|\b(?:refused|failed|failure|rejected?|keepRefusal)\(\s*("[A-Z0-9_]+")/g;
/** Codes of the operating system begin with E and are asked for, never given. */
const literal = /"((?!E[A-Z]+")[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)"/g;

/** Codes that a source gives or compares with, each with its place. */
function codesIn({ path, text }: { readonly path: string; readonly text: string }): { readonly code: string; readonly path: string }[] {
  const clear = [...text.matchAll(prefixed)].map(([, code = ""]) => code);
  const handed = [...text.matchAll(given)].flatMap(([, value = "", first = ""]) =>
    [...`${value} ${first}`.matchAll(literal)].map(([, code = ""]) => code),
  );
  return [...new Set([...clear, ...handed])].map((code) => ({ code, path }));
}

function uncatalogued(from: readonly { readonly path: string; readonly text: string }[]): string[] {
  return from
    .flatMap(codesIn)
    .filter(({ code }) => !catalogued.has(code))
    .map(({ code, path }) => `${code} in ${path}`);
}

test("every code that the sources give is in a catalogue", () => {
  expect(sources.length).toBeGreaterThan(500);
  expect(uncatalogued(sources)).toEqual([]);
});

test.each([
  ['throw refused("ENGINE_PLANTED", "no", "no", {});', "ENGINE_PLANTED"],
  ['return { outcome: { ok: false, code: "PLANTED", message } };', "PLANTED"],
  ['complain(node, { code: one ? "STEPS_YAML_SYNTAX" : "STEPS_PLANTED", message });', "STEPS_PLANTED"],
  ['const stoppedCode = "PLANTED_NAMED";', "PLANTED_NAMED"],
  ['throw refused(\n    "PLANTED_BELOW",\n    "no");', "PLANTED_BELOW"],
])("a code that is in no catalogue is found: %s", (text, code) => {
  expect(uncatalogued([{ path: "planted.ts", text }])).toEqual([`${code} in planted.ts`]);
});

test("no code is in two catalogues", () => {
  expect(entries.map(([code]) => code).filter((code, at, all) => all.indexOf(code) !== at)).toEqual([]);
});

test("every entry says what happened, why, and what to do, in full sentences", () => {
  for (const [code, { what, why, fix }] of entries) for (const text of [what, why, fix]) expect(text, code).toMatch(/^[A-Z`].*\.$/);
});
