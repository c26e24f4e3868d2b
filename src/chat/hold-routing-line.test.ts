import { expect, test } from "vitest";
import { HoldRoutingLine } from "./hold-routing-line.ts";

function said(...pieces: readonly string[]): readonly [text: string, named: string | undefined] {
  let text = "";
  const held = new HoldRoutingLine((piece) => (text += piece));
  for (const piece of pieces) held.add(piece);
  held.end();
  return [text, held.named];
}

test.each([
  ["WORKFLOW: ghost", "", "ghost"],
  ["WORKFLOW:\nghost\n", "", "ghost"],
  ["/invoke-workflow ghost \nWhich two?", "Which two?", "ghost"],
  ["\nWORKFLOW: ghost\r\nWhich two?\nThese.", "Which two?\nThese.", "ghost"],
  ["**WORKFLOW: ghost**\nWhich two?", "Which two?", "ghost"],
  ["**WORKFLOW:** `ghost`", "", "ghost"],
  ["workflow: done", "workflow: done", undefined],
  ["WORKFLOW: I would take none of them.", "WORKFLOW: I would take none of them.", undefined],
  ["Hello.\nWORKFLOW: ghost", "Hello.\nWORKFLOW: ghost", undefined],
  ["W", "W", undefined],
  ["Work flows.", "Work flows.", undefined],
  ["", "", undefined],
])("%j is shown as %j, in pieces too", (text, shown, named) => {
  expect(said(text)).toEqual([shown, named]);
  expect(said(...text.split(""))).toEqual([shown, named]);
});

test("what cannot be such a line is passed on as it comes", () => {
  const pieces: string[] = [];
  const held = new HoldRoutingLine((piece) => pieces.push(piece));
  for (const piece of ["Let me", " see", ".\n"]) held.add(piece);
  expect(pieces).toEqual(["Let me", " see", ".\n"]);
});
