import { isObject, textOf, type Json } from "../../../base/index.ts";
import {
  performShell,
  readAs,
  type EffectJob,
  type EffectLeaf,
  type LeafArgs,
  type Performed,
  type Run,
  type Settle,
} from "../../../engine/index.ts";
import type { PromptsDefinition } from "../definition/index.ts";
import { nodeEnvironment, shellAssignments } from "./node-environment.ts";
import { nodeResult, withoutLineEnd } from "./node-result.ts";
import { scriptCommand } from "./script-command.ts";

type Job = EffectJob<PromptsDefinition>;

/**
 * A command or script of a graph. Arguments: `command`; `env`, its variables, empty where they have no value; `script` with the runtime of
 * code, and `values` that it names, with messages for those in `needs`; `check` asks only whether it succeeds; `retry_on` as of tasks.
 */
export const shellNode: EffectLeaf<PromptsDefinition> = {
  runs: commandOf,
  async perform(job) {
    const { effect } = job;
    const text = textOf(effect.args["command"]);
    const given = nodeEnvironment(effect.args["env"], text);
    if ("problem" in given) return { outcome: { ok: false, code: "COMMAND_NOT_STARTED", message: given.problem, final: true } };
    const { env, large } = given;
    const { script } = effect.args;
    const command = isObject(script) ? await scriptCommand(job, script, large) : { line: `${shellAssignments(large)}${text}` };
    if ("problem" in command) return { outcome: { ok: false, code: "PROMPTS_SCRIPT", message: command.problem, final: true } };
    const args = { command: command.line, shell: "bash", env, output_format: "text", retry_on: effect.args["retry_on"] ?? null };
    const performed = await performShell({ ...job, effect: { ...effect, args } });
    if (performed === undefined) return undefined;
    const settle: Settle = typeof performed === "function" ? performed : async () => performed;
    return async () => judged(job, await settle());
  },
};

const usual = { command: ["filled", "value"], script: ["value"], env: ["value"] };

function commandOf(args: LeafArgs): readonly Run[] {
  const { command, script } = args;
  const runtime = isObject(script?.of) ? textOf(script.of["runtime"]) : undefined;
  const file = isObject(script?.of) && typeof script.of["file"] === "string" ? script.of["file"] : undefined;
  const text = textOf(command?.of ?? "");
  return [
    { kind: "command", text: runtime === undefined ? text : `${runtime} ${file ?? "-"}\n${text}`, shell: "bash", ...readAs(args, usual) },
  ];
}

async function judged({ engine, effect }: Job, performed: Performed): Promise<Performed> {
  const { outcome } = performed;
  if (effect.args["check"] === true) {
    if (outcome.ok !== false && outcome.ok !== true) return performed;
    const failed = outcome.ok === false && outcome.code !== "COMMAND_FAILED";
    return failed ? performed : { ...performed, outcome: { ok: true, value: { done: outcome.ok } } };
  }
  if (outcome.ok === true) return { ...performed, outcome: { ok: true, value: nodeResult(await whole(engine, outcome.value)) } };
  return performed;
}

/** What is beyond the limit of output is in a file; nodes that name it get all of it. */
async function whole({ store }: Job["engine"], value: Json): Promise<Json> {
  if (!isObject(value) || value["large"] !== true) return value;
  const bytes = await store.readBlob(textOf(value["sha256"]));
  return bytes === undefined ? textOf(value["preview"]) : withoutLineEnd(new TextDecoder().decode(bytes));
}
