import { expect, test } from "vitest";
import { program as programOf } from "../../test/support/make-program.ts";
import { mostFolders, movedPrograms } from "./moved-programs.ts";
import type { Program } from "./program.ts";

/** A program whose blocks were read from these files, the first one its root. */
function placed(...files: readonly string[]): Program {
  const ids = files.map((_, at) => `b${at}`);
  const blocks = ids.map((id) => ({ kind: "seq", id, blocks: id === "b0" ? ids.slice(1) : [] }) as const);
  const places = ids.map((id, at) => [id, { file: files[at]!, line: 1, column: 1 }]);
  return { ...programOf(blocks, "b0"), places: Object.fromEntries(places) as Program["places"] };
}

const filesIn = ({ places }: Program): readonly string[] => Object.values(places).map(({ file }) => file);
const movesTo = (from: readonly string[], to: string, wanted: readonly string[]): boolean =>
  movedPrograms(placed(...from), to).some((moved) => JSON.stringify(filesIn(moved)) === JSON.stringify(wanted));

test("a checkout elsewhere is found, also on another drive", () => {
  const files = (root: string): readonly string[] => [`${root}/.waymark/workflows/one.yaml`, `${root}/.waymark/workflows/lib/two.yaml`];
  const roots = ["/srv/app", "/home/ada/app", "C:/Users/ada/app", "D:/app", "//server/share/app"];
  for (const from of roots)
    for (const to of roots.filter((root) => root !== from))
      expect([from, to, movesTo(files(from), to, files(to))]).toEqual([from, to, true]);
});

test("of two files that are in other places than each other nothing but one folder is exchanged", () => {
  const [one, two] = ["/srv/app/.waymark/workflows/one.yaml", "/srv/app/.waymark/workflows/two.yaml"];
  expect(movesTo(["/x/.waymark/workflows/one.yaml", "/y/.waymark/workflows/two.yaml"], "/srv/app", [one, two])).toBe(false);
  expect(movesTo(["/x/one.yaml", "/x/.waymark/workflows/two.yaml"], "/srv/app", [one, two])).toBe(false);
});

test("one file that is the user's own everywhere stays where it is while the other one moves", () => {
  const own = "/home/ada/.waymark/workflows/own.yaml";
  expect(movesTo([own, "/x/.waymark/workflows/one.yaml"], "/y", [own, "/y/.waymark/workflows/one.yaml"])).toBe(true);
});

test("many files in deep folders cost no more than a few", () => {
  const deep = (name: string): string => `/${Array.from({ length: 120 }, (_, at) => `${name}${at}`).join("/")}/w.yaml`;
  const files = Array.from({ length: 120 }, (_, at) => deep(`d${at}x`));
  expect(movedPrograms(placed(...files), "/srv/app").length).toBeLessThanOrEqual(mostFolders);
});
