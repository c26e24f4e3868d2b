import { expect, test } from "vitest";
import { appRuntime, bcRuntime } from "./app-runtime.ts";

test.each([
  ['{ "runtime": "8.0" }', 8],
  ['{ "runtime": "11.1", "platform": "19.0.0.0" }', 11.1],
  ['{ "runtime": 13 }', 13],
  ['{ "platform": "19.0.0.0" }', 8],
  ['{ "application": "24.3.0.0" }', 13],
  ['{ "platform": "1.0.0.0", "application": "22.0.0.0" }', 11],
  ['{ "runtime": "new", "application": "22.0.0.0" }', 11],
  ['\ufeff{\n // "runtime": "3.0"\n "runtime": "9.0", /* x */ "url": "http://a//b", }', 9],
  ["{ }", undefined],
  ["not json", undefined],
  ["[]", undefined],
  ["null", undefined],
  ['{ "dependencies": [{ "runtime": "8.0" }] }', undefined],
])("%s asks for runtime %s", (json, runtime) => {
  expect(appRuntime(json)).toBe(runtime);
});

test.each([
  ["BC19", 8],
  ["bc 24", 13],
  ["19", 8],
  ["19.0", 8],
  ["26.1.2.3", 15],
  ["BC", undefined],
  ["nineteen", undefined],
  ["", undefined],
  ["11", undefined],
])("version %j has runtime %s", (version, runtime) => {
  expect(bcRuntime(version)).toBe(runtime);
});
