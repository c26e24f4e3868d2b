import type { IssueCategory, Severity } from "../analysis.ts";
import * as places from "./check-places.ts";
import type { LexedCode } from "./lex.ts";
import type { Structure } from "./structure.ts";

/** A fault that the tokens alone show. */
export interface CertainCheck {
  readonly id: string;
  readonly severity: Severity;
  readonly category: IssueCategory;
  /** `al`, or undefined for every language. */
  readonly language?: string;
  /** First version in which the fix exists. */
  readonly since?: number;
  readonly description: string;
  readonly suggestion: string;
  /** Id of the bundled topic about it. */
  readonly topic?: string;
  /** Signs by which other topics name this fault: one of them is linked to it where the bundled topic is absent. */
  readonly signs: readonly string[];
  /** Places in the tokens. */
  find(code: LexedCode, structure: Structure): Iterable<number>;
}

const alChecks: readonly CertainCheck[] = [
  {
    id: "missing_setloadfields",
    topic: "performance/setloadfields",
    severity: "info",
    category: "performance",
    since: 17,
    description: "`FindSet` reads every field of the record; nothing in this routine says which are needed.",
    suggestion: "Call `SetLoadFields` with the fields that are used before `FindSet`.",
    signs: ["FindSet without SetLoadFields"],
    find: places.fullReads,
  },
  {
    id: "manual_summation",
    topic: "performance/calcsums-and-sift",
    severity: "warning",
    category: "performance",
    description: "A loop adds up a field row by row.",
    suggestion: "Use `CalcSums`, with a key that keeps the sum.",
    signs: ["manual summation", "+= inside repeat"],
    find: places.summations,
  },
  {
    id: "calcfields_in_loop",
    topic: "performance/calcfields-in-loops",
    severity: "warning",
    category: "performance",
    description: "`CalcFields` in a loop is one more query for every row.",
    suggestion: "Call `SetAutoCalcFields` before the loop.",
    signs: ["CalcFields inside repeat"],
    find: places.inLoops(["calcfields"], true),
  },
  {
    id: "commit_in_loop",
    topic: "security/commit-discipline",
    severity: "warning",
    category: "performance",
    description: "`Commit` in a loop ends the transaction with every row: a later error leaves half of the work done.",
    suggestion: "Commit once after the loop, or give each row its own `Codeunit.Run`.",
    signs: ["Commit inside repeat"],
    find: places.inLoops(["commit"], false),
  },
  {
    id: "dialog_in_loop",
    severity: "warning",
    category: "quality",
    description: "A dialog inside a loop stops the user at every row, and fails in background sessions.",
    suggestion: "Ask once before the loop, or collect the messages and show them after it.",
    signs: ["Confirm inside repeat", "Message inside repeat"],
    find: places.inLoops(["confirm", "message", "strmenu"], false),
  },
  {
    id: "findfirst_then_loop",
    topic: "performance/findset-and-findfirst",
    severity: "warning",
    category: "performance",
    description: "`FindFirst` or `FindLast` fetches one row, but a loop follows.",
    suggestion: "Use `FindSet` where a loop follows.",
    signs: ["FindFirst followed by repeat"],
    find: places.firstThenLoop,
  },
  {
    id: "count_as_existence",
    topic: "performance/isempty-instead-of-count",
    severity: "info",
    category: "performance",
    description: "`Count` reads all rows only to learn whether there are any.",
    suggestion: "Use `IsEmpty`.",
    signs: ["Count() > 0", "Count() = 0"],
    find: places.countsAsExistence,
  },
  {
    id: "error_literal",
    topic: "errors/error-messages-as-labels",
    severity: "info",
    category: "quality",
    description: "`Error` with a text in the code: it is not translated, and telemetry does not carry it.",
    suggestion: "Put the text into a Label with a Comment that explains its placeholders.",
    signs: ["Error with a text literal"],
    find: ({ tokens }) => places.errorCalls(tokens, (part) => part.length === 1 && part[0]!.kind === "string" && part[0]!.text !== ""),
  },
  {
    id: "error_concatenation",
    topic: "errors/error-messages-as-labels",
    severity: "warning",
    category: "quality",
    description: "The message of `Error` is put together with `+`.",
    suggestion: "Use a Label with placeholders and pass the values as arguments.",
    signs: ["Error with concatenation"],
    find: ({ tokens }) => places.errorCalls(tokens, (part) => part.some((token) => places.sign(token, "+"))),
  },
  {
    id: "error_strsubstno",
    topic: "errors/error-messages-as-labels",
    severity: "warning",
    category: "quality",
    description: "`StrSubstNo` directly in `Error` hides the text from telemetry and from the analyzers.",
    suggestion: "Pass the Label and its values to `Error` itself.",
    signs: ["Error(StrSubstNo"],
    find: ({ tokens }) => places.errorCalls(tokens, ([first]) => places.name(first, "strsubstno")),
  },
  {
    id: "with_statement",
    severity: "warning",
    category: "quality",
    description: "`with` is obsolete: names inside it may mean something else after an upgrade.",
    suggestion: "Name the record before every field and method.",
    signs: ["with statement"],
    find: ({ tokens }) =>
      tokens.flatMap((token, at) =>
        places.name(token, "with") && tokens.slice(at + 1, at + 8).some((next) => places.name(next, "do")) ? [at] : [],
      ),
  },
  {
    id: "filter_concatenation",
    topic: "security/filter-injection",
    severity: "warning",
    category: "security",
    description: "A value becomes part of the filter expression, so characters such as `|` or `*` in it change the filter.",
    suggestion: "Use `SetRange`, or placeholders: `SetFilter(Field, '%1', Value)`.",
    signs: ["SetFilter with a variable as the expression"],
    find: places.openFilters,
  },
  {
    id: "secret_as_text",
    topic: "security/secrets-and-secrettext",
    severity: "info",
    category: "security",
    since: 24,
    description: "A secret is held as `Text`, so a debugger and a snapshot can show it.",
    suggestion: "Declare it as `SecretText`.",
    signs: ["Authorization with Text"],
    find: places.secretsAsText,
  },
];

export const certainChecks: readonly CertainCheck[] = [
  ...alChecks.map((check) => ({ ...check, language: "al" })),
  {
    id: "hardcoded_secret",
    topic: "general/secrets-in-code",
    severity: "error",
    category: "security",
    description: "A password, key or token is in the code.",
    suggestion: "Take it from a secret store or the environment, and change the one that was committed.",
    signs: ["password literal", "api key literal", "key in a text constant"],
    find: places.secrets,
  },
  {
    id: "insecure_address",
    topic: "security/http-calls",
    severity: "warning",
    category: "security",
    description: "An address without encryption: `http://`.",
    suggestion: "Use `https://`.",
    signs: ["http:// address"],
    find: places.plainAddresses,
  },
  {
    id: "empty_catch",
    topic: "general/swallowed-errors",
    severity: "warning",
    category: "quality",
    description: "An error is caught and nothing is done with it.",
    suggestion: "Handle it, pass it on, or say in the code why it may be ignored.",
    signs: ["empty catch", "except: pass"],
    find: places.emptyCatches,
  },
];
