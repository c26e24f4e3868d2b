import type { JsonObject } from "../../../base/index.ts";

/** What the demo does in the place of an agent with one call of Error: another text for it, or a reason to leave it. */
export type Verdict = { readonly convert: string } | { readonly skip: string };

/** Looks at the kind of the call, as an agent would that has read the guidance. */
export function judge(instance: JsonObject): Verdict {
  const text = (name: string): string => (typeof instance[name] === "string" ? instance[name] : "");
  const suggestion = text("suggestion");
  switch (text("type")) {
    case "strsubstno_literal":
    case "strsubstno_label":
    case "strsubstno_other":
    case "text_var":
      return suggestion === "" ? { skip: "no rewrite keeps its meaning for sure" } : { convert: suggestion };
    case "concat": {
      const joined = joinedText(text("text"));
      return joined === undefined ? { skip: "pieces of text that need a Label of their own" } : { convert: joined };
    }
    case "label":
    case "label_args":
      return { skip: "a Label already: translated, and kept by telemetry" };
    case "silent_abort":
      return { skip: "ends the transaction without a message, on purpose" };
    case "literal":
    case "literal_args":
      return { skip: "test code" };
    default:
      return { skip: "its text is made elsewhere; the team must look at it" };
  }
}

/** `Error('Member ' + No + ' is blocked.')` as one text with a placeholder; undefined for any other form. */
function joinedText(call: string): string | undefined {
  const [, before, value, after] = /^Error\('((?:[^'%]|'')*)' \+ ([\w."]+) \+ '((?:[^'%]|'')*)'\)$/.exec(call) ?? [];
  if (before === undefined || value === undefined || after === undefined) return undefined;
  return `Error(ErrorInfo.Create(StrSubstNo('${before}%1${after}', ${value})))`;
}
