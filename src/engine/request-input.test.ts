import { expect, test } from "vitest";
import type { InputSpec } from "../program/index.ts";
import { neededInputs, requestInput } from "./request-input.ts";

const text: InputSpec = { type: "string", required: true };
const number: InputSpec = { type: "number", required: true };
const optional: InputSpec = { type: "string", required: false };
const preset: InputSpec = { type: "string", required: true, default: "main" };

test.each<[string, Readonly<Record<string, InputSpec>>, string | undefined]>([
  ["is the message of a chain", { branch: text, user_message: optional }, "user_message"],
  ["is an input with the name `request`", { branch: text, request: optional }, "request"],
  ["is no list with that name", { request: { type: "array", required: true } }, undefined],
  ["is the only text that has to be given", { topic: text, count: number, branch: preset, note: optional }, "topic"],
  ["is not one of two texts", { from: text, to: text }, undefined],
  ["is not a text that may be left out", { note: optional, branch: preset }, undefined],
])("the input that takes a request %s", (_what, inputs, name) => {
  expect(requestInput(inputs)).toBe(name);
});

test("what was given is asked for no more", () => {
  expect(requestInput({ from: text, to: text }, { from: "a" })).toBe("to");
  expect(neededInputs({ from: text, to: number, branch: preset, note: optional }, { from: "a" })).toEqual(["to"]);
});
