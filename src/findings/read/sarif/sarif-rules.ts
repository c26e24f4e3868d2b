import { defined } from "../../../base/index.ts";
import { fieldsOf, objectAt, textAt, wholeAt, type Fields } from "../json/fields.ts";
import type { Part } from "../json/wanted.ts";

/** What is kept of the description of a rule. */
export interface Rule {
  readonly id?: string;
  readonly guid?: string;
  readonly level?: string;
  readonly help?: string;
  /** What it looks for, in a sentence. */
  readonly about?: string;
  /** Texts of its messages, by their id. */
  readonly messages?: Readonly<Record<string, string>>;
}

/** How a result names its rule. */
export interface RuleName {
  readonly id?: string;
  readonly index?: number;
  readonly guid?: string;
  /** The part of the tool that has the rule; absent for the tool itself. */
  readonly extension?: { readonly index?: number; readonly name?: string; readonly guid?: string };
}

/** The tool itself, or an extension of it. */
export class Component {
  name?: string;
  guid?: string;
  globalMessages: Readonly<Record<string, string>> = {};
  readonly #rules: Rule[] = [];
  readonly #byId = new Map<string, Rule>();

  add(rule: Rule): void {
    this.#rules.push(rule);
    if (rule.id !== undefined && !this.#byId.has(rule.id)) this.#byId.set(rule.id, rule);
  }

  /** An index that leads to a rule of another name is not believed. Of `CA1000/1`, the rule `CA1000` is meant where there is no other. */
  find({ id, index, guid }: RuleName): Rule | undefined {
    const indexed = index === undefined ? undefined : this.#rules[index];
    if (indexed !== undefined && (id === undefined || indexed.id === id || id.startsWith(`${indexed.id}/`))) return indexed;
    if (guid !== undefined) {
      const found = this.#rules.find((rule) => rule.guid === guid);
      if (found !== undefined) return found;
    }
    for (let name = id ?? ""; name !== ""; name = name.slice(0, Math.max(0, name.lastIndexOf("/")))) {
      const found = this.#byId.get(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

export function ruleOf(part: Part): Rule {
  const fields = fieldsOf(part);
  const configuration = objectAt(fields, "defaultConfiguration");
  const strings = objectAt(fields, "messageStrings");
  return defined({
    id: textAt(fields, "id"),
    guid: textAt(fields, "guid"),
    level: configuration === undefined ? undefined : textAt(configuration, "level"),
    help: textAt(fields, "helpUri"),
    about: formattedAt(fields, "shortDescription") ?? formattedAt(fields, "fullDescription"),
    messages: strings === undefined ? undefined : messagesOf(strings),
  });
}

export function messagesOf(fields: Fields): Readonly<Record<string, string>> {
  const known: Record<string, string> = {};
  for (const id of Object.keys(fields.value)) {
    const text = formattedAt(fields, id);
    if (text !== undefined && id !== "__proto__") known[id] = text;
  }
  return known;
}

/** The plain text of an object that may have two; the formatted one where it is the only one. */
function formattedAt(fields: Fields, key: string): string | undefined {
  const object = objectAt(fields, key);
  if (object === undefined) return undefined;
  return textAt(object, "text") || textAt(object, "markdown") || undefined;
}

export function ruleNameOf(fields: Fields): RuleName {
  const rule = objectAt(fields, "rule");
  const component = rule === undefined ? undefined : objectAt(rule, "toolComponent");
  const index = wholeAt(fields, "ruleIndex", 0);
  return defined({
    id: textAt(fields, "ruleId") ?? (rule === undefined ? undefined : textAt(rule, "id")),
    index: index ?? (rule === undefined ? undefined : wholeAt(rule, "index", 0)),
    guid: rule === undefined ? undefined : textAt(rule, "guid"),
    extension:
      component === undefined
        ? undefined
        : defined({ index: wholeAt(component, "index", 0), name: textAt(component, "name"), guid: textAt(component, "guid") }),
  });
}
