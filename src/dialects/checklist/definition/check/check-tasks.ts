import {
  checkFreshRole,
  checkReturns,
  child,
  didYouMean,
  membersOf,
  taskExpressions,
  textLeaves,
  type Complain,
  type ExpressionChecker,
  type SourceNode,
  type TextNode,
} from "../../../../source/index.ts";

/** What texts of a task can name: what the run was started with, and what its phases have brought so far. */
export const taskNames = ["inputs", "tasks", "inventory", "guides", "scan", "analysis", "approach", "verification"] as const;

/** Phases that are tasks: no key beside the task is passed over, and every template can be read. */
export function checkTasks(root: SourceNode, complain: Complain, checker: ExpressionChecker | undefined): void {
  for (const phase of membersOf(child(root, "phases"))) {
    const task = child(phase, "task");
    if (task === undefined) continue;
    for (const key of ["mode", "available_actions", "checklist"]) {
      const node = child(phase, key);
      if (node !== undefined)
        complain(node, {
          code: "CHECKLIST_WITHOUT_EFFECT",
          message: `\`${key}\` has no effect in a phase with a \`task\`.`,
          fix: "Remove it, or say it in the prompt.",
          at: "key",
        });
    }
    checkReturns(task, "CHECKLIST_BAD_VALUE", complain);
    checkFreshRole(task, "CHECKLIST_BAD_VALUE", complain);
    if (checker !== undefined)
      for (const key of Object.keys(taskExpressions)) for (const leaf of textLeaves(child(task, key))) checkText(leaf, checker, complain);
  }
}

function checkText(node: TextNode, checker: ExpressionChecker, complain: Complain): void {
  const problems = checker.check({ as: "text", of: node.value });
  for (const { message, offset } of problems)
    complain(node, {
      code: "CHECKLIST_TEMPLATE",
      message: `The template cannot be read: ${message}${/[.!?]$/.test(message) ? "" : "."}`,
      fix: "Correct it at the place shown; between `{{` and `}}` is JavaScript.",
      at: { offset },
    });
  if (problems.length > 0) return;
  for (const name of new Set(checker.names({ as: "text", of: node.value }))) {
    if (taskNames.some((known) => known === name)) continue;
    const offset = new RegExp(`(?<![\\w$.])${name.replace(/[$]/g, "\\$")}(?![\\w$])`).exec(node.value)?.index ?? 0;
    const fix = didYouMean(name, taskNames) ?? `Use one of ${taskNames.join(", ")}.`;
    complain(node, {
      code: "CHECKLIST_TEMPLATE",
      message: `Nothing is called \`${name}\` here.`,
      fix,
      at: { offset, length: name.length },
    });
  }
}
