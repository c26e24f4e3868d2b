import { splitPath } from "../../../../base/index.ts";
import { child, textAt, type SourceNode } from "../../../../source/index.ts";
import { includesOf } from "../resolve.ts";
import { writesOf } from "../step-nodes.ts";
import { hasHole } from "../template.ts";
import type { StepType } from "../vocabulary.ts";
import { walkSteps, warnWithoutEffect, type CheckContext, type VisitedStep } from "./check-context.ts";

/** Steps whose result an agent brings, or may bring. */
const brought: ReadonlySet<StepType> = new Set<StepType>(["agent_shell_command", "mcp_call", "apply_hints", "user_input"]);

interface WrittenPath {
  readonly node: SourceNode;
  readonly path: string;
  readonly keys: readonly string[];
}

/** What belongs to a person who is asked: neither a default nor silence answers, and no agent's result replaces the answer. */
export function checkPersons(context: CheckContext): void {
  const persons: WrittenPath[] = [];
  const agents: WrittenPath[] = [];
  walkSteps(context.workflow, (visited) => {
    const asks = isPersons(visited);
    if (asks) checkUnanswered(context, visited);
    if (asks || brought.has(visited.type)) (asks ? persons : agents).push(...pathsOf(visited));
  });
  for (const { node, keys } of agents) {
    const held = persons.find((each) => overlaps(each.keys, keys));
    if (held === undefined) continue;
    context.warn(node, {
      code: "STEPS_PERSONS_PATH",
      message: `\`${held.path}\` holds what a person answers. Once they have answered, the run fails where an agent's result is stored here.`,
      fix: "Store the result under another path, or store it before the person is asked.",
    });
  }
  warnOfCopies(context, persons);
}

/** A copy of an answer is the agent's to write, as everything that is not the answer itself: no condition should decide by it. */
function warnOfCopies(context: CheckContext, persons: readonly WrittenPath[]): void {
  const answers = [...nameOf(persons), ...includedAnswers(context)];
  if (answers.length === 0) return;
  const copies: { readonly node: SourceNode; readonly path: string; readonly name: string; readonly of: string }[] = [];
  const conditions: string[] = [];
  walkSteps(context.workflow, ({ step }) => {
    conditions.push(textAt(step, "condition") ?? "");
    for (const { node } of writesOf(step)) {
      const [path = "", value = ""] = [textAt(node, "path"), textAt(node, "value")];
      const [, name] = splitPath(path) ?? [];
      const of = hasHole(value) ? answers.find((answer) => mentions(value, answer)) : undefined;
      if (of !== undefined && name !== undefined && !answers.includes(name))
        copies.push({ node: child(node, "path") ?? node, path, name, of });
    }
  });
  for (const { node, path, name, of } of copies) {
    if (!conditions.some((condition) => mentions(condition, name))) continue;
    context.warn(node, {
      code: "STEPS_PERSONS_COPY",
      message: `\`${path}\` is made from \`${of}\`, what a person answers, and a condition reads it. An agent can write \`${path}\`, but not the answer.`,
      fix: `Read \`${of}\` in the condition, or use a computed field.`,
    });
  }
}

/** Names under which the answers in included workflows are read. */
function includedAnswers({ workflow, resolved }: CheckContext): readonly string[] {
  return includesOf(workflow).flatMap((step) => {
    const callee = resolved.calleeOf(step);
    const inside: WrittenPath[] = [];
    if (callee !== undefined) walkSteps(callee, (visited) => void (isPersons(visited) && inside.push(...pathsOf(visited))));
    return nameOf(inside).flatMap((name) => [`${textAt(step, "id") ?? ""}.${name}`, name]);
  });
}

function isPersons({ step, type }: VisitedStep): boolean {
  return type === "user_input" && textAt(step, "answer_by") === "person";
}

/** Without the tier. */
function nameOf(paths: readonly WrittenPath[]): readonly string[] {
  return paths.flatMap(({ keys: [, name] }) => name ?? []);
}

/** Whether code reads the name: alone, or after its tier; not as a property of something else. */
function mentions(code: string, name: string): boolean {
  const literal = name.replace(/[^\w.]/g, "\\$&").replaceAll(".", "\\.");
  return new RegExp(`(?<![\\w$.])(?:(?:raw|state)\\.)?${literal}(?![\\w$])`).test(code);
}

function checkUnanswered(context: CheckContext, { step }: VisitedStep): void {
  const because = "with `answer_by: person`: only the person answers";
  warnWithoutEffect(context, child(step, "fallback_value"), because, "Remove it, or use `answer_by: relay`.");
  const never = "with `answer_by: person`: a wrong answer never closes the question";
  warnWithoutEffect(context, child(step, "attempts"), never, "Remove it, or use `answer_by: relay`.");
  const policy = textAt(step, "on_error") === "continue" ? child(step, "on_error") : undefined;
  if (child(step, "timeout") !== undefined)
    warnWithoutEffect(context, policy, `when the time is up ${because}`, "Remove `timeout`, or use `on_error: fail`.");
}

/** Paths that a step stores its result at, as far as they are known. */
function pathsOf({ step }: VisitedStep): readonly WrittenPath[] {
  return writesOf(step).flatMap(({ node, under }) => {
    const path = child(node, "path");
    if (under !== "state_update" || typeof path?.value !== "string" || hasHole(path.value)) return [];
    const keys = splitPath(path.value);
    return keys === undefined ? [] : [{ node: path, path: path.value, keys }];
  });
}

function overlaps(a: readonly string[], b: readonly string[]): boolean {
  return a.slice(0, b.length).every((key, at) => key === b[at]);
}
