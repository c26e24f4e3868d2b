import { child, isText, listedTexts, membersOf, textAt, type Complain, type SourceNode } from "../../../../source/index.ts";
import { checkUnique } from "../check/check-text.ts";
import type { ChecklistDefinition, PhaseDefinition } from "../checklist-definition.ts";

/** Commands of the verification phase; a bare command is its own name. */
export function readVerify(root: SourceNode, phases: readonly PhaseDefinition[], complain: Complain): ChecklistDefinition["verify"] {
  const node = child(root, "verify");
  if (node !== undefined && !phases.some((phase) => phase.role === "verification")) {
    complain(node, {
      code: "CHECKLIST_PHASE_MISSING",
      message: "`verify` has commands, but no autonomous phase verifies.",
      fix: "Add a phase with the id `verification`.",
      at: "key",
    });
  }
  const commands = membersOf(node);
  const names = commands.map((each) => (isText(each) ? each : child(each, "name")));
  checkUnique(names, "command", complain);
  return commands.map((each) =>
    isText(each) ? { name: each.value, command: each.value } : { name: textAt(each, "name") ?? "", command: textAt(each, "command") ?? "" },
  );
}

export function isWorkflowName(name: string): boolean {
  return /^[A-Za-z0-9][\w:-]*$/.test(name);
}

export function readSubWorkflows(root: SourceNode, complain: Complain): string[] {
  const nodes = listedTexts(root, "sub_workflows").filter((node) => node.value !== "");
  checkUnique(nodes, "workflow", complain);
  for (const node of nodes) {
    if (!isWorkflowName(node.value)) {
      complain(node, {
        code: "CHECKLIST_BAD_NAME",
        message: `\`${node.value}\` cannot be the name of a workflow.`,
        fix: "Use letters, digits, `-`, `_` and `:`.",
      });
    } else if (node.value === textAt(root, "type")) {
      complain(node, {
        code: "CHECKLIST_BAD_VALUE",
        message: "The workflow calls itself.",
        fix: "Remove its own name from `sub_workflows`.",
      });
    }
  }
  return nodes.map((node) => node.value);
}
