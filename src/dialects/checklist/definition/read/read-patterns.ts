import type { Json, JsonObject } from "../../../../base/index.ts";
import {
  child,
  descend,
  flagAt,
  has,
  isText,
  listedTexts,
  membersOf,
  numberAt,
  quoteList,
  suggest,
  textAt,
  type Complain,
  type SourceNode,
  type TextNode,
} from "../../../../source/index.ts";
import { checkGlob, checkId, checkRegex, checkUnique } from "../check/check-text.ts";
import { defaults, placeholders } from "../vocabulary.ts";

/** Keys that only a regular expression can use. */
const regexOnly: readonly string[] = ["regex_flags", "exclude_regex", "in", "whole_word", "balanced", "arguments"];

/** The listed patterns as `PatternSpec`s in JSON. `specialist` is for those that name none. */
export function readPatterns(discovery: SourceNode | undefined, finders: readonly string[] | undefined, complain: Complain): JsonObject[] {
  const nodes = membersOf(child(discovery, "patterns"));
  const ids = nodes.map((node) => child(node, "id"));
  checkUnique(ids, "pattern", complain);
  const specialist = textAt(discovery, "specialist");
  return nodes.map((node) => {
    checkPattern(node, finders, complain);
    return specOf(node, specialist);
  });
}

function checkPattern(node: SourceNode, finders: readonly string[] | undefined, complain: Complain): void {
  checkId(child(node, "id"), "pattern", complain);
  checkSearch(node, finders, complain);
  checkRegex(child(node, "regex"), child(node, "regex_flags"), complain);
  checkRegex(child(node, "exclude_regex"), undefined, complain);
  for (const glob of membersOf(child(node, "files"))) checkGlob(glob, complain);
  for (const rule of membersOf(descend(node, ["instance_classifier", "rules"]))) checkRegex(child(rule, "pattern"), undefined, complain);
  checkArguments(child(node, "arguments"), complain);
  checkTransformations(node, complain);
}

/** Exactly one way to search. */
function checkSearch(node: SourceNode, finders: readonly string[] | undefined, complain: Complain): void {
  const finder = child(node, "finder");
  if (has(node, "regex") === (finder !== undefined)) {
    complain(finder ?? node, {
      code: "CHECKLIST_CONFLICTING_KEYS",
      message: `The pattern \`${textAt(node, "id") ?? "?"}\` has ${finder === undefined ? "neither" : "both"} \`regex\` ${finder === undefined ? "nor" : "and"} \`finder\`.`,
      fix: finder === undefined ? "Add `regex:`, or `finder:` for a built-in finder." : "Keep one of them.",
    });
  }
  if (!isText(finder)) return;
  if (finders !== undefined && !finders.includes(finder.value)) {
    complain(finder, {
      code: "CHECKLIST_UNKNOWN_FINDER",
      message: `There is no finder \`${finder.value}\`.`,
      fix: suggest(finder.value, finders) ?? "Use a `regex`.",
    });
  }
  for (const key of regexOnly) {
    const idle = child(node, key);
    if (idle === undefined) continue;
    complain(idle, {
      code: "CHECKLIST_WITHOUT_EFFECT",
      message: `\`${key}\` has no effect on a pattern with a \`finder\`.`,
      fix: `Remove \`${key}\`.`,
      at: "key",
    });
  }
}

function checkArguments(node: SourceNode | undefined, complain: Complain): void {
  const min = numberAt(node, "min");
  const max = numberAt(node, "max");
  if (node !== undefined && min !== undefined && max !== undefined && min > max) {
    complain(child(node, "max") ?? node, {
      code: "CHECKLIST_BAD_VALUE",
      message: `No call has at least ${min} and at most ${max} arguments.`,
      fix: "Swap the two numbers.",
    });
  }
  const shapes = child(node, "shapes");
  const places = Object.keys((shapes?.value ?? {}) as JsonObject);
  for (const place of places.filter((each) => !/^\d+$/.test(each))) {
    complain(child(shapes, place) ?? shapes!, {
      code: "CHECKLIST_BAD_VALUE",
      message: `\`${place}\` is not the place of an argument.`,
      fix: `Use a number, counted from 0, as in ${quoteList(["0: string"], "or")}.`,
      at: "key",
    });
  }
}

function specOf(node: SourceNode, specialist: string | undefined): JsonObject {
  const id = textAt(node, "id") ?? "";
  const own = textAt(node, "specialist") ?? specialist;
  const files = listedTexts(node, "files").map((each) => each.value);
  return {
    id,
    name: textAt(node, "name") ?? id,
    description: textAt(node, "description") ?? "",
    ...given(node, { why: "why", fix: "fix", finder: "finder", regex: "regex", flags: "regex_flags", exclude: "exclude_regex" }),
    ...given(node, { in: "in", wholeWord: "whole_word", balanced: "balanced", arguments: "arguments" }),
    ...(files.length === 0 ? {} : { files }),
    contextLines: numberAt(node, "context_lines") ?? defaults.contextLines,
    rules: membersOf(descend(node, ["instance_classifier", "rules"])).map((rule) => ({
      name: textAt(rule, "name") ?? "",
      pattern: textAt(rule, "pattern") ?? "",
      action: textAt(rule, "suggested_action") ?? "",
      auto: flagAt(rule, "auto_fixable") ?? false,
    })),
    transformations: membersOf(child(node, "transformations")).map((each) => ({
      type: textAt(each, "instance_type") ?? "",
      template: textAt(each, "template") ?? "",
      review: flagAt(each, "requires_review") ?? true,
    })),
    ...given(node, {
      severity: "severity",
      secret: "secret",
      category: "category",
      sameAs: "same_as",
      leaveOut: "leave_out",
      topic: "topic_id",
      section: "section",
    }),
    ...(own === undefined ? {} : { specialist: own }),
  };
}

/** The keys that are there, under the names a `PatternSpec` has for them. */
function given(node: SourceNode, names: Readonly<Record<string, string>>): JsonObject {
  const made: Record<string, Json> = {};
  for (const [name, key] of Object.entries(names)) {
    const value = child(node, key)?.value;
    if (value !== undefined) made[name] = value;
  }
  return made;
}

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
  const groups = [...(textAt(pattern, "regex") ?? "").matchAll(/\(\?<([A-Za-z_$][\w$]*)>/g)].map(([, name = ""]) => name);
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
