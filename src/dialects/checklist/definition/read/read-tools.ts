import { defined } from "../../../../base/index.ts";
import { child, flagAt, has, isText, listedTexts, membersOf, textAt, type Complain, type SourceNode } from "../../../../source/index.ts";
import { checkGlob, checkId, checkRegex, checkUnique } from "../check/check-text.ts";
import type { ToolDefinition } from "../checklist-definition.ts";
import { toolFormats } from "../vocabulary.ts";

/** Whether the user chooses among the tools; without several there is nothing to choose. */
export function readToolChoice(root: SourceNode, complain: Complain): boolean {
  const node = child(root, "choose_tools");
  const chooses = flagAt(root, "choose_tools") === true;
  if (chooses && membersOf(child(root, "findings_from")).length < 2) {
    complain(node ?? root, {
      code: "CHECKLIST_WITHOUT_EFFECT",
      message: "`choose_tools` has no effect: there are no two tools to choose from.",
      fix: "Add tools to `findings_from`, or remove `choose_tools`.",
      at: "key",
    });
  }
  return chooses;
}

/** The tools of `findings_from`, with everything that is wrong with them. */
export function readTools(root: SourceNode, complain: Complain): ToolDefinition[] {
  const nodes = membersOf(child(root, "findings_from"));
  const ids = nodes.map((node) => child(node, "id"));
  checkUnique(ids, "tool", complain);
  return nodes.map((node) => {
    checkId(child(node, "id"), "tool", complain);
    checkPattern(node, complain);
    checkCommand(child(node, "command"), complain);
    for (const key of ["files", "if_present"]) for (const glob of membersOf(child(node, key))) checkGlob(glob, complain);
    const texts = (key: string): string[] | undefined => (has(node, key) ? listedTexts(node, key).map(({ value }) => value) : undefined);
    return {
      id: textAt(node, "id") ?? "",
      command: textAt(node, "command") ?? "",
      format: toolFormats.find((format) => format === textAt(node, "format")) ?? "sarif",
      ...defined({
        pattern: textAt(node, "pattern"),
        files: texts("files"),
        perFile: readPerFile(child(node, "per_file"), complain),
        ifPresent: texts("if_present"),
      }),
      ...(flagAt(node, "secrets") === true ? { secrets: true } : {}),
    };
  });
}

const groups = ["file", "line"] as const;

/** `lines` needs a pattern that says at least where; the other formats say everything themselves. */
function checkPattern(node: SourceNode, complain: Complain): void {
  const pattern = child(node, "pattern");
  const lines = textAt(node, "format") === "lines";
  if (pattern !== undefined && !lines) {
    complain(pattern, {
      code: "CHECKLIST_WITHOUT_EFFECT",
      message: "`pattern` has no effect: only `format: lines` is read with one.",
      fix: "Remove `pattern`, or write `format: lines`.",
      at: "key",
    });
  }
  if (lines && pattern === undefined) {
    complain(child(node, "format") ?? node, {
      code: "CHECKLIST_MISSING_KEY",
      message: "`format: lines` needs a `pattern`.",
      fix: "Add `pattern:` with the named groups `file` and `line`, e.g. `^(?<file>[^:]+):(?<line>\\d+): (?<message>.*)$`.",
    });
  }
  checkRegex(pattern, undefined, complain);
  if (!lines || !isText(pattern)) return;
  const missing = groups.filter((group) => !pattern.value.includes(`(?<${group}>`));
  if (missing.length === 0) return;
  complain(pattern, {
    code: "CHECKLIST_BAD_VALUE",
    message: `The pattern has no group ${missing.map((group) => `\`(?<${group}>...)\``).join(" and no group ")}, so nobody would know where a finding is.`,
    fix: "Put these parts of the expression into named groups.",
  });
}

function checkCommand(node: SourceNode | undefined, complain: Complain): void {
  if (!isText(node) || !node.value.includes("{{")) return;
  complain(node, {
    code: "CHECKLIST_BAD_VALUE",
    message: "`command` looks at all files and has no `{{...}}` to fill in.",
    fix: "Write the line as it is run; a line for one file belongs into `per_file`.",
  });
}

/** The name of the file is one argument of the shell, so nothing may touch `{{file}}`. */
const wholeArgument = /^(?<before>(?:.*\s)?)\{\{\s*file\s*\}\}(?<after>(?:\s.*)?)$/s;

function readPerFile(node: SourceNode | undefined, complain: Complain): ToolDefinition["perFile"] {
  if (!isText(node) || node.value === "") return undefined;
  const { before, after } = wholeArgument.exec(node.value)?.groups ?? {};
  if (before !== undefined && after !== undefined && !`${before}${after}`.includes("{{")) return { before, after };
  complain(node, {
    code: "CHECKLIST_BAD_VALUE",
    message: "`per_file` must have `{{file}}` once, as a whole argument: Waymark quotes the name itself.",
    fix: "Write it with spaces around it and without quotes, e.g. `eslint -f json {{file}}`.",
  });
  return undefined;
}
