import type { Json } from "../../../src/base/index.ts";
import { next, progress, start, updateState } from "../../../src/engine/index.ts";
import { attempt, bad, caseName, open, outcome, refusal, type Lair } from "./lair.ts";

const paths: readonly string[] = [
  "raw.__proto__.polluted",
  "raw.__proto__",
  "raw.a.__proto__.polluted",
  'raw["__proto__"].polluted',
  "raw['__proto__']['polluted']",
  "raw.constructor.prototype.polluted",
  "raw.constructor",
  "raw.prototype.polluted",
  "state.__proto__.polluted",
  "state.constructor.prototype.polluted",
  "__proto__.polluted",
  "constructor.prototype.polluted",
  "raw.list.__proto__.polluted",
  "raw.list.constructor.prototype.polluted",
  "computed.__proto__.polluted",
  "inputs.__proto__.polluted",
  "raw[__proto__].polluted",
  "raw.a.b.__proto__.polluted",
];

const values: readonly string[] = [
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"a":{"__proto__":{"polluted":true}}}',
];

const call = { id: "a", type: "mcp_call", mcp: { method: "m", params: {} }, state_update: { path: "raw.result" } };
const defaults = { raw: { a: {}, list: [] } };

/** Paths and values that would reach the prototype of every object. */
export async function tryPrototypes(lair: Lair): Promise<void> {
  const { run } = await open(lair, { default_state: defaults, steps: [call, { id: "b", type: "user_message", message: "x" }] });
  for (const path of paths) await tryPath(lair, run, path);
  for (const text of values) await tryValue(lair, run, JSON.parse(text) as Json);
  await attempt(lair, "prototype pollution: the run goes on", async () => {
    const { standing } = await next(lair.engine.context, lair.engine.caller, { run });
    return standing.kind === "action" ? "untouched" : bad(`The run stands at ${standing.kind}.`);
  });
}

async function clean(told: Promise<string>): Promise<string> {
  const answer = await told;
  return "polluted" in {} || "polluted" in [] || "polluted" in clean ? bad("The prototype of an object was changed.") : answer;
}

async function tryPath(lair: Lair, run: string, path: string): Promise<void> {
  const { context, caller } = lair.engine;
  for (const operation of ["set", "merge", "append"] as const) {
    const value = operation === "merge" ? { polluted: true } : true;
    await attempt(lair, `prototype pollution: ${operation} ${path}`, () =>
      clean(
        outcome(
          () => updateState(context, caller, { run, updates: [{ path, operation, value }] }),
          () => bad("The write was accepted."),
        ),
      ),
    );
  }
  const writing = (at: string): Promise<string> =>
    clean(
      outcome(
        () =>
          open(lair, { default_state: { raw: { a: {}, p: path } }, steps: [{ id: "a", type: "state_update", path: at, value: "yes" }] }),
        refusal,
      ),
    );
  await attempt(lair, `prototype pollution: step writes ${path}`, () => writing(path));
  await attempt(lair, `prototype pollution: step writes a path made of ${path}`, () => writing("{{ p }}"));
}

async function tryValue(lair: Lair, run: string, hostile: Json): Promise<void> {
  const { context, caller } = lair.engine;
  const data = (): string => "kept as data";
  const ways: Readonly<Record<string, () => Promise<unknown>>> = {
    "merged value": () => updateState(context, caller, { run, updates: [{ path: "raw.a", operation: "merge", value: hostile }] }),
    "written value": () => updateState(context, caller, { run, updates: [{ path: "raw.a", value: hostile }] }),
    definition: () =>
      open(lair, { default_state: { raw: hostile }, steps: [{ id: "a", type: "user_message", message: "{{ polluted }}" }] }),
    "reported value": async () => {
      const at = await open(lair, { steps: [call, { id: "b", type: "user_message", message: "{{ result.polluted }}" }] });
      return progress(context, caller, { run: at.run, result: hostile });
    },
    inputs: () => start(context, caller, { workflow: caseName, inputs: hostile as Record<string, Json> }),
  };
  for (const [name, way] of Object.entries(ways)) await attempt(lair, `prototype pollution: ${name}`, () => clean(outcome(way, data)));
}
