import { visit, type Document, type YAMLError } from "yaml";
import type { Places } from "./places.ts";
import { textProblem, tooDeep, unquotedTemplate, type TextProblem } from "../text-problem.ts";

const mostSyntaxErrors = 10;
const mostBrackets = 500;

/** Errors and warnings of the parser, in our words; a file that is too deep gives one of them. */
export function syntaxProblems(document: Document.Parsed, places: Places): TextProblem[] {
  const exhausted = document.errors.find((error) => error.code === "RESOURCE_EXHAUSTION");
  const deep = exhausted ?? document.errors.slice(0, 1).find(({ pos }) => bracketDepth(places.text.slice(0, pos[1])) > mostBrackets);
  if (deep !== undefined) return [textProblem(tooDeep, places.between(...deep.pos))];
  const found = document.errors.slice(0, mostSyntaxErrors).map((error) => syntaxProblem(error, document, places));
  for (const warning of document.warnings) {
    const [fault, fix] =
      warning.code === "TAG_RESOLVE_FAILED"
        ? (["not_json", "Remove the tag; values are plain JSON."] as const)
        : (["syntax", "Remove it."] as const);
    found.push(textProblem([fault, sentence(warning.message), fix], places.between(...warning.pos)));
  }
  return found;
}

/** How many brackets are open at the deepest place. Whether the parser itself gives up on deep nesting depends on its stack. */
function bracketDepth(text: string): number {
  let depth = 0;
  let most = 0;
  for (const char of text) {
    if (char === "[" || char === "{") most = Math.max(most, (depth += 1));
    else if (char === "]" || char === "}") depth -= 1;
  }
  return most;
}

function syntaxProblem(error: YAMLError, document: Document.Parsed, places: Places): TextProblem {
  const [from] = error.pos;
  const place = places.between(...error.pos);
  const unquoted =
    /^\s*(?:-\s+)?(?:[^"'#]*:\s+|-\s+)\{\{/.test(lineAt(places, from)) || places.text.slice(Math.max(0, from - 1), from + 2).includes("{{");
  if (error.code === "MULTIPLE_DOCS") {
    const fix = "Put each document into a file of its own.";
    return textProblem(["several_documents", "The file holds several YAML documents, and only one can be the workflow.", fix], place);
  }
  if (error.code === "DUPLICATE_KEY") {
    const key = /^(?:"[^"\n]*"|'[^'\n]*'|[^:\s,}]+)/.exec(places.text.slice(from, from + 200))?.[0] ?? "";
    const message = `The key \`${key}\` is here for the second time in the same map.`;
    return textProblem(["duplicate_key", message, "Remove one of the two, or rename it."], places.between(from, from + key.length));
  }
  if (unquoted) return textProblem(unquotedTemplate, place);
  const opening = error.code === "MISSING_CHAR" && /quote/.test(error.message) ? openQuote(document, from) : undefined;
  const unclosed = ["syntax", "The quote that opens here never closes.", "Close it, or remove it."] as const;
  if (opening !== undefined) return textProblem(unclosed, places.between(opening, opening + 1));
  return textProblem(["syntax", sentence(error.message), "Correct the line; quotes and indentation are the usual causes."], place);
}

/** Start of the quoted text that reaches up to an offset; the parser itself only says where the file ended. */
function openQuote(document: Document.Parsed, upTo: number): number | undefined {
  let found: number | undefined;
  visit(document, {
    Scalar(_key, { type, range }) {
      if ((type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE") && range && range[0] <= upTo && range[1] >= upTo - 1) found = range[0];
    },
  });
  return found;
}

function sentence(message: string): string {
  const text = (message.split("\n")[0] ?? "").replace(/ at line \d+, column \d+:?$/, "").trim();
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}

/** The whole line that holds an offset. */
function lineAt({ text }: Places, offset: number): string {
  const start = text.lastIndexOf("\n", Math.max(0, offset - 1)) + 1;
  const end = text.indexOf("\n", start);
  return text.slice(start, end < 0 ? undefined : end);
}
