import {
  child,
  descend,
  flagAt,
  has,
  isText,
  membersOf,
  quoteList,
  suggest,
  textAt,
  type Complain,
  type SourceNode,
  type TextNode,
} from "../../../../source/index.ts";
import { checkUnique } from "../check/check-text.ts";
import { placeholders } from "../vocabulary.ts";

/** Type of a match that no rule of the classifier names. */
const unclassified = "other";

/** Rules and transformations of a pattern against each other. The types of a finder are its own, so only templates are looked at. */
export function checkTransformations(pattern: SourceNode, complain: Complain): void {
  const rules = membersOf(descend(pattern, ["instance_classifier", "rules"]));
  const transformations = membersOf(child(pattern, "transformations"));
  const types = transformations.map((each) => child(each, "instance_type"));
  checkUnique(types, "transformation for", complain);
  if (!has(pattern, "finder")) {
    const known = [...rules.flatMap((rule) => textAt(rule, "name") ?? []), unclassified];
    for (const type of types) if (isText(type)) checkType(type, known, complain);
    for (const rule of rules) checkAutomatic(rule, types, complain);
  }
  const groups = groupsOf(textAt(pattern, "regex") ?? "");
  for (const each of transformations) {
    const template = child(each, "template");
    if (isText(template)) checkTemplate(template, groups, complain);
  }
}

function checkType(type: TextNode, known: readonly string[], complain: Complain): void {
  if (known.includes(type.value)) return;
  complain(type, {
    code: "CHECKLIST_UNKNOWN_TYPE",
    message: `No rule of the pattern gives the type \`${type.value}\`.`,
    fix: suggest(type.value, known) ?? "Use the name of a rule.",
  });
}

function checkAutomatic(rule: SourceNode, types: readonly (SourceNode | undefined)[], complain: Complain): void {
  const name = child(rule, "name");
  if (flagAt(rule, "auto_fixable") !== true || !isText(name) || types.some((type) => type?.value === name.value)) return;
  complain(child(rule, "auto_fixable") ?? rule, {
    code: "CHECKLIST_NO_TRANSFORMATION",
    severity: "warning",
    message: `Instances of type \`${name.value}\` are marked as automatically fixable, but no transformation says how; they go to review.`,
    fix: `Add a transformation with \`instance_type: ${name.value}\`, or set \`auto_fixable: false\`.`,
  });
}

function checkTemplate(template: TextNode, groups: readonly string[], complain: Complain): void {
  const known = [...placeholders, ...groups];
  const rest = template.value.replace(/\{\{([^{}]*)\}\}/g, (whole, inner: string, offset: number) => {
    const name = inner.trim();
    if (!known.includes(name) && !/^arg\d+$/.test(name)) {
      complain(template, {
        code: "CHECKLIST_UNKNOWN_PLACEHOLDER",
        message: `Nothing fills the placeholder \`${whole}\`.`,
        fix: suggest(name, known) ?? `Use ${quoteList([...known, "arg0"], "or")}.`,
        at: { offset, length: whole.length },
      });
    }
    return " ".repeat(whole.length);
  });
  const open = rest.indexOf("{{");
  if (open < 0) return;
  complain(template, {
    code: "CHECKLIST_UNKNOWN_PLACEHOLDER",
    message: "A placeholder opens with `{{` and does not close.",
    fix: "Close it with `}}`.",
    at: { offset: open, length: 2 },
  });
}

function groupsOf(regex: string): string[] {
  return [...regex.matchAll(/\(\?<([A-Za-z_$][\w$]*)>/g)].map((match) => match[1] ?? "");
}
