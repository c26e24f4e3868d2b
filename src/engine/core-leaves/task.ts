import { defined, isList, isObject, jsonOrText, schemaProblems, textOf, type Json } from "../../base/index.ts";
import type { Action, Outcome } from "../../kernel/index.ts";
import type { AgentPermission, Turn } from "../../ports/index.ts";
import { taskPromptText, taskShown } from "../../views/index.ts";
import { refused } from "../codes.ts";
import { recordsWith } from "../journal-records.ts";
import type { RunHandle } from "../run-cache.ts";
import { shownText } from "../shown-text.ts";
import type { TurnWish } from "../turn-wish.ts";
import { usualBinding } from "../role-binding.ts";
import type { ActionLeaf, At, GivenReport, LeafArgs, NamedRole, Run } from "../runtime.ts";

const contexts = ["fresh", "last"] as const;
const lostContexts = ["fail", "fresh", "replay"] as const;

/**
 * A prompt for an agent. Arguments: `prompt`; `give` (values), `files` to read first; `returns` (JSON Schema) and `artifacts` (files) that it
 * must bring; `context`, `on_lost_context`, `permission`, `agent`, `model`, `role`, `tools`, `idle_ms` for the turn of an agent that Waymark drives; `retry_on` for
 * which failures another try makes sense.
 */
export const taskLeaf: ActionLeaf<unknown> = {
  runs: agentOf,
  takesStored: true,
  show: async (at, { action }) => {
    const role = roleOf(action);
    return taskShown(action, await lastProblem(at, action), role && usualBinding(at.engine, role));
  },
  turn: async (at, { action }) => {
    const { context, on_lost_context: onLost, permission, agent, model, usual, tools, returns, artifacts, idle_ms: idle } = action.args;
    return {
      prompt: taskPromptText(action, await lastProblem(at, action)),
      endIsReport: true,
      ...defined({
        context: contexts.find((word) => word === context),
        onLost: lostContexts.find((word) => word === onLost),
        permission: isObject(permission) ? (permission as unknown as AgentPermission) : undefined,
        agent: typeof agent === "string" ? agent : undefined,
        model: typeof model === "string" ? model : undefined,
        usual: isObject(usual) ? (usual as TurnWish["usual"]) : undefined,
        tools: isObject(tools) ? (tools as Turn["tools"]) : undefined,
        returns: isObject(returns) ? returns : undefined,
        artifacts: isList(artifacts) ? artifacts.map(textOf) : undefined,
        idleMs: typeof idle === "number" ? idle : undefined,
      }),
    };
  },
  role: (_at, action) => roleOf(action),
  continues: ({ context, on_lost_context: onLost }) => (context?.of === "last" && (onLost?.of ?? "fail") === "fail" ? "fail" : undefined),
  take: takeTask,
};

function roleOf({ args: { role, agent, model, permission } }: Action): NamedRole | undefined {
  if (typeof role !== "string") return undefined;
  return {
    name: role,
    ...defined({
      agent: typeof agent === "string" ? agent : undefined,
      model: typeof model === "string" ? model : undefined,
      permission: isObject(permission) ? (permission as unknown as AgentPermission) : undefined,
    }),
  };
}

function agentOf({ prompt, permission, agent, model, role, tools, usual }: LeafArgs): readonly Run[] {
  const wide = isObject(usual?.of) ? usual.of : {};
  const given = permission?.of ?? wide["permission"];
  const [own, common] = [agent?.of, wide["agent"]];
  const chosen = model?.of ?? wide["model"];
  return [
    {
      kind: "agent",
      ...shownText(textOf(prompt?.of ?? "")),
      ...(isObject(given) ? { permission: given as unknown as AgentPermission } : {}),
      ...(typeof own === "string" ? { agent: own } : {}),
      ...(typeof common === "string" ? { usualAgent: common } : {}),
      ...(typeof chosen === "string" ? { model: chosen } : {}),
      ...(isObject(tools?.of) ? { tools: tools.of } : {}),
      ...(typeof role?.of === "string" ? { role: role.of } : {}),
    },
  ];
}

/** Judges a report by what it must bring: it is refused, and the step stays open, until all of it is there. */
async function takeTask(at: At<unknown>, action: Action, report: GivenReport): Promise<{ readonly outcome: Outcome } | undefined> {
  const { artifacts, returns } = action.args;
  if (report.status === "failed") return failedTask(action, report);
  await requireFiles(at, action, isList(artifacts) ? artifacts.map(textOf) : []);
  if (!isObject(returns) || (report.stored === true && !storesWhole(at, action))) return undefined;
  const value = jsonIn(report.result ?? null);
  const problems = schemaProblems(returns, value);
  if (problems.length === 0) return { outcome: { ok: true, value } };
  throw refused(
    "ENGINE_TASK_RESULT",
    `The result of \`${action.step}\` does not fit what the step returns: ${problems.join(" ")}`,
    "Nothing was recorded. Correct the result and report it again.",
    { problems: [...problems], action_id: action.id, fill_in: { result: "the corrected result" } },
  );
}

/** Whether what a holder stored is the result itself, and not what the workflow makes of it. */
function storesWhole({ handle }: At<unknown>, { block }: Action): boolean {
  const held = handle.program.blocks[block];
  return held?.kind === "do" && held.writes.every(({ value, transform }) => value === undefined && transform === undefined);
}

async function requireFiles({ engine, folder }: At<unknown>, { id, step }: Action, paths: readonly string[]): Promise<void> {
  const missing: string[] = [];
  for (const path of paths) if (((await engine.workspace.read(folder, path))?.bytes.length ?? 0) === 0) missing.push(path);
  if (missing.length === 0) return;
  const [are, them] = missing.length === 1 ? ["is", "it"] : ["are", "them"];
  throw refused(
    "ENGINE_TASK_FILES",
    `\`${step}\` is not done: ${missing.join(", ")} ${are} missing or empty.`,
    `Nothing was recorded. Write ${them}, then report again.`,
    { missing, action_id: id },
  );
}

/** Credentials and rights do not come by themselves: another try fails in the same way. */
const fatal = /\b40[13]\b|unauthor|forbidden|authenticat|api key|credit|billing|permission denied/i;
const transient =
  /\b(?:429|50[0234]|529)\b|time(?:d )?[ -]?out|connection|network|overloaded|rate limit|socket|econn|crash|exited unexpectedly/i;

function failedTask({ args, step }: Action, { error, result, mayPass }: GivenReport): { readonly outcome: Outcome } | undefined {
  const message = error ?? (typeof result === "string" ? result : `\`${step}\` was reported as failed.`);
  return isFinal(args["retry_on"], message, mayPass) ? { outcome: { ok: false, code: "STEP_FAILED", message, final: true } } : undefined;
}

/** Whether another try of what failed with this message makes no sense. `on`: for which failures its `retry` is used. */
export function isFinal(on: Json | undefined, message: string, mayPass?: true): boolean {
  if (on === undefined || on === null) return false;
  return fatal.test(message) || (on !== "all" && mayPass !== true && !transient.test(message));
}

/** Models write JSON into a text, often between fences. */
function jsonIn(result: Json): Json {
  if (typeof result !== "string") return result;
  const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(result)?.[1];
  return jsonOrText(fenced ?? result);
}

/** Why the last try failed, where the step, or the block with its check, is tried again. */
async function lastProblem({ engine, handle }: At<unknown>, { strand, block }: Action): Promise<string | undefined> {
  const frames = handle.state.strands[strand]?.frames ?? [];
  if (!frames.some(({ tries = 0 }) => tries > 0)) return undefined;
  let found: { readonly block: string; readonly message: string } | undefined;
  for await (const { decoded } of recordsWith(engine, handle.id, ['"failed"']))
    for (const event of decoded)
      if (event.type === "failed" && event.strand === strand && (event.block === block || event.block === checkOf(block)))
        found = { block: event.block, message: event.error.message };
  const command = found?.block === block ? undefined : checkCommand(handle.program.blocks[checkOf(block)]);
  return found === undefined || command === undefined ? found?.message : `\`${command}\` must succeed afterwards. ${found.message}`;
}

/** The command of a check, as its author wrote it. */
function checkCommand(check: RunHandle["program"]["blocks"][string] | undefined): string | undefined {
  const command = check?.kind === "do" ? check.args["command"]?.of : undefined;
  return typeof command === "string" ? command : undefined;
}

/** The block that checks whether a task is done. */
function checkOf(block: string): string {
  return `${block}$check`;
}

export function isCheck(block: string): boolean {
  return block.endsWith(checkOf(""));
}
