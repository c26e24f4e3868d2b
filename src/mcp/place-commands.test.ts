import { expect, test } from "vitest";
import { placeCommands } from "./place-commands.ts";

const place = "-C '/a b' --store /s";

test("a line for a person names the place of the server, in both parts; what a workflow says stays", () => {
  const command = "waymark decide wf-x d4";
  const result = {
    content: [{ type: "text" as const, text: `Run waymark start x in a shell.\nFor the person: ${command}` }],
    structuredContent: { instruction: "Run waymark start x in a shell.", open: [{ command_for_person: command }] },
  };
  const placed = `waymark ${place} decide wf-x d4`;
  expect(placeCommands(result, place)).toEqual({
    content: [{ type: "text", text: `Run waymark start x in a shell.\nFor the person: ${placed}` }],
    structuredContent: { instruction: "Run waymark start x in a shell.", open: [{ command_for_person: placed }] },
  });
  expect(placeCommands(result, "")).toBe(result);
});

test("an error names it in every line", () => {
  const result = {
    isError: true,
    content: [{ type: "text" as const, text: "A person must run: waymark allow x" }],
    structuredContent: { error: { code: "E", message: "m", fix: "A person must run: waymark allow x" } },
  };
  const fix = `A person must run: waymark ${place} allow x`;
  expect(placeCommands(result, place)).toMatchObject({ content: [{ text: fix }], structuredContent: { error: { fix, message: "m" } } });
});
