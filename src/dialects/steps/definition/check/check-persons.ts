import { splitPath } from "../../../../base/index.ts";
import { child, textAt, type SourceNode } from "../../../../source/index.ts";
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
    const isPersons = visited.type === "user_input" && textAt(visited.step, "answer_by") === "person";
    if (isPersons) checkUnanswered(context, visited);
    if (isPersons || brought.has(visited.type)) (isPersons ? persons : agents).push(...pathsOf(visited));
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
}

function checkUnanswered(context: CheckContext, { step }: VisitedStep): void {
  const because = "with `answer_by: person`: only the person answers";
  warnWithoutEffect(context, child(step, "fallback_value"), because, "Remove it, or use `answer_by: relay`.");
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
