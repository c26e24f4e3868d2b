import { describe, expect, test } from "vitest";
import { emptyState, type RunState } from "../../kernel/index.ts";
import { apartFolder, foldersOf, isApart } from "./apart-folder.ts";

test("a folder of a strand is beside that of the run, whatever its task is called", () => {
  expect(apartFolder("/trees/run-1", "T-001-e4")).toBe("/trees/run-1+T-001-e4");
  expect(apartFolder("/trees/run-1", "../../etc x")).toBe("/trees/run-1+.._.._etc_x");
  expect(isApart("/trees/run-1", apartFolder("/trees/run-1", "../../etc x"))).toBe(true);
});

test("of a run on a folder of its repository it is the same folder in the worktree beside", () => {
  expect(isApart("/trees/run-1/app", "/trees/run-1+a/app")).toBe(true);
  expect(isApart("/trees/run-1/app", "/trees/run-1+a/other")).toBe(false);
  expect(isApart("/trees/run-1/app", "/trees/run-1+a/app/inner")).toBe(false);
  expect(isApart("/trees/run-1/app", "/trees/run-1+a/app+b")).toBe(false);
});

test.each([
  "/home/ada",
  "/trees/run-1",
  "/trees/run-1/inside",
  "/trees/run-1+a/../../home",
  "/trees/run-1+",
  "/trees/run-12+a",
  "/trees/run-1+a/b",
])("%s is not one: names of a strand can come from an agent", (folder) => {
  expect(isApart("/trees/run-1", folder)).toBe(false);
});

/** A strand whose first frame has the folder under the name that effects give it. */
function strandIn(folder: string | undefined, parent?: string): RunState["strands"][string] {
  const locals = folder === undefined ? {} : { locals: { $apart: { folder } } };
  const frames = [
    { kind: "seq", block: "all", at: 1, ...locals },
    // Names of a call are its own.
    { kind: "call", block: "call", phase: "inside", scope: "c1" },
  ];
  return { id: "", status: "waiting", scope: "c1", fence: 0, frames, ...(parent === undefined ? {} : { parent }) } as never;
}

describe("a strand works", () => {
  const state = {
    ...emptyState,
    options: { serial: false, unable: [], folder: "/trees/run-1" },
    strands: {
      main: strandIn(undefined),
      item: strandIn("/trees/run-1+a", "main"),
      node: strandIn(undefined, "item"),
      inner: strandIn("/trees/run-1+a+b", "node"),
      liar: strandIn("/home/ada", "node"),
    },
  } as RunState;

  test.each([
    ["main", ["/trees/run-1"]],
    ["item", ["/trees/run-1", "/trees/run-1+a"]],
    ["node", ["/trees/run-1", "/trees/run-1+a"]],
    ["inner", ["/trees/run-1", "/trees/run-1+a", "/trees/run-1+a+b"]],
    ["liar", ["/trees/run-1", "/trees/run-1+a"]],
  ])("in the innermost folder that it was begun in, also across calls: %s", (strand, folders) => {
    expect(foldersOf(state, strand)).toEqual(folders);
  });

  test("in the workspace where the run has no folder of its own", () => {
    expect(foldersOf({ ...state, options: { serial: false, unable: [] } }, "inner")).toEqual([]);
  });
});
