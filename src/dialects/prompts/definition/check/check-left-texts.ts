import { isObject, type Json } from "../../../../base/index.ts";
import { descend, type Complain, type Complaint, type SourceNode, type TextNode } from "../../../../source/index.ts";
import { fieldPattern, findRefs, idPattern, type TextKind } from "../graph/find-refs.ts";
import type { Quoting } from "../graph/shell-quoting.ts";
import { isNearMiss } from "./check-prompts-shape.ts";
import type { NodesById } from "./graph-level.ts";

interface LeftText {
  readonly text: TextNode;
  readonly kind: TextKind;
  /** How the shell reads each place. */
  readonly quoting: ((offset: number) => Quoting) | undefined;
  /** Nodes that can be named there. */
  readonly known: NodesById;
}

const code = "PROMPTS_LEFT_TEXT";
const meant = "Where that is what you mean, nothing needs to be done.";

/** What looks like a reference, or like a part of one, and stays as it is written. */
export function checkLeftTexts({ text, kind, quoting, known }: LeftText, complain: Complain): void {
  const { value } = text;
  const isComment = (offset: number): boolean => quoting?.(offset) === "comment";
  for (const { ref, offset, length } of findRefs(value, kind)) {
    if (isComment(offset)) continue;
    if ("node" in ref && ref.field !== undefined) behindField(ref.node, ref.field, offset + length);
    if ("variable" in ref && quoting?.(offset) === "single" && !isRead(value.slice(0, offset)))
      complain(text, {
        code,
        severity: "warning",
        message: `\`${value.slice(offset, offset + length)}\` is in single quotes, where bash keeps it as it is written.`,
        fix: "Use double quotes.",
        at: { offset, length },
      });
  }
  if (kind === "code") return;
  for (const { 0: written, 1: braced, 2: id = "", 3: field, index: offset } of value.matchAll(near)) {
    const at = { offset, length: written.length };
    if (!known.has(braced ?? id) || isComment(offset)) continue;
    const slip = field === undefined ? undefined : slipIn(value.slice(offset), { id, field, kind, node: known.get(id) });
    if (slip !== undefined) {
      complain(text, { ...slip.complaint, at: { offset, length: slip.length } });
      continue;
    }
    if (braced === undefined) {
      const message = `\`${written}\` is a reference only in \`when\`; here it stays as it is written.`;
      complain(text, { code, severity: "warning", message, fix: `Write \`$${id}.output.${field}\`.`, at });
      continue;
    }
    const fix = `Write \`$${written.slice(2, -1)}\`.`;
    if (kind === "shell") complain(text, { code, message: `\`${written}\` is not a reference, and bash refuses it.`, fix, at });
    else
      complain(text, { code, severity: "warning", message: `\`${written}\` is not a reference, so it stays as it is written.`, fix, at });
  }

  function behindField(id: string, field: string, end: number): void {
    const [rest = ""] = /^(?:-[A-Za-z_][\w-]*|\.[A-Za-z_]\w*)/.exec(value.slice(end)) ?? [];
    const declared = descend(known.get(id), ["output_format", "properties", field])?.value;
    if (rest === "" || (declared !== undefined && (rest.startsWith("-") || !mayHaveFields(declared)))) return;
    const written = `$${id}.output.${field}`;
    const names = rest.startsWith("-")
      ? "Names of fields that can be referred to have letters, digits and `_` alone."
      : `Only fields of the first level can be referred to: read \`${written}\` as JSON for what is inside of it.`;
    const message = `\`${written}${rest}\` is the field \`${field}\` with the text \`${rest}\` behind it.`;
    const at = { offset: end - written.length, length: written.length + rest.length };
    complain(text, { code, severity: "warning", message, fix: `${names} ${meant}`, at });
  }
}

interface Behind {
  readonly id: string;
  readonly field: string;
  readonly kind: TextKind;
  readonly node: SourceNode | undefined;
}

/** `$id.outptu`, where `output` was meant and not a field. */
function slipIn(from: string, { id, field, kind, node }: Behind): { readonly complaint: Complaint; readonly length: number } | undefined {
  if (!isNearMiss(field, "output") || descend(node, ["output_format", "properties", field]) !== undefined) return undefined;
  const head = `$${id}.${field}`;
  const [rest = ""] = /^\.[A-Za-z_]\w*/.exec(from.slice(head.length)) ?? [];
  const message = `\`${head}${rest}\` is not a reference, so it stays as it is written.`;
  // A command may have a variable of that name.
  const severity = kind === "shell" ? "warning" : "error";
  return { complaint: { code, severity, message, fix: `Write \`$${id}.output${rest}\`.` }, length: head.length + rest.length };
}

/** `${id.output...}`, and `$id.field`. */
const near = new RegExp(
  `(?<!\\\\)\\$(?:\\{(${idPattern})\\.output(?:\\.${fieldPattern})?\\}|(${idPattern})\\.(?!output(?![A-Za-z0-9_]))(${fieldPattern}))`,
  "g",
);

function mayHaveFields(schema: Json): boolean {
  const type = isObject(schema) ? schema["type"] : undefined;
  return type === undefined || type === "object";
}

/** Whether the quotes that are open at the end of a text are for a program that reads variables itself. */
function isRead(before: string): boolean {
  return /(?:-c|trap|eval|envsubst|(?:^|\s)(?:awk|jq|sed|perl)\b[^'|;&]*)\s*$/.test(before.slice(0, before.lastIndexOf("'")));
}
