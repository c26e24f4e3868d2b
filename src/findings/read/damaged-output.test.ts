/** Outputs that cannot be read: each ends with one clear error that says what was expected, what is there, and where. */
import { describe, expect, test } from "vitest";
import { isWaymarkError } from "../../base/index.ts";
import { chunksOf, findingsOf } from "../../../test/support/findings-of.ts";

type Case = readonly [title: string, text: string, says: string];

const run = (more = ""): string => `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}}${more}}]}`;
const results = (...list: readonly string[]): string => run(`,"results":[${list.join(",")}]`);
const whole = results('{"ruleId":"r","message":{"text":"m"}}');
const file = (...messages: readonly string[]): string => `[{"filePath":"/w/a.js","messages":[${messages.join(",")}]}]`;
const message = '{"ruleId":"r","severity":1,"message":"m","line":1,"column":1}';

const sarif: readonly Case[] = [
  ["nothing", "", "SARIF 2.1.0. It is empty."],
  ["blanks", " \n\n", "SARIF 2.1.0. It is empty."],
  [
    "cut off in a result",
    whole.slice(0, 90),
    "SARIF 2.1.0. Expected the closing quote of a text in `runs[0].results[0]` at line 1, column 91, but the output ends there.",
  ],
  [
    "cut off in a text",
    `${whole.slice(0, 77)}`,
    "SARIF 2.1.0. Expected the closing quote of a text in `runs[0].results[0]` at line 1, column 78, but the output ends there.",
  ],
  [
    "cut off behind the last bracket but one",
    whole.slice(0, -1),
    "SARIF 2.1.0. Expected `,` or `}` in `runs` at line 1, column 111, but the output ends there.",
  ],
  [
    "a page of a proxy",
    "<!DOCTYPE html>\n<html><body>502 Bad Gateway</body></html>",
    "SARIF 2.1.0. Expected an object (`{`) at line 1, column 1, but found `<!DOCTYPE html>\\n<html><body>502 Bad Gateway</body></html>`.",
  ],
  [
    "lines of a script runner in front",
    `\n> app@1.0.0 lint\n> oxlint -f sarif\n\n${whole}`,
    'SARIF 2.1.0. Expected an object (`{`) at line 2, column 1, but found `> app@1.0.0 lint\\n> oxlint -f sarif\\n\\n{"version":"2.1.0"...`.',
  ],
  [
    "a summary behind",
    `${whole}\n\nFound 1 warning.`,
    "SARIF 2.1.0. Expected the end of the text at line 3, column 1, but found `Found 1 warning.`.",
  ],
  [
    "two documents",
    `${whole}\n${whole}`,
    'SARIF 2.1.0. Expected the end of the text at line 2, column 1, but found `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}...`.',
  ],
  [
    "another version",
    whole.replace("2.1.0", "2.0.0"),
    'SARIF 2.1.0. Expected the version `2.1.0` in `version` at line 1, column 12, but found `"2.0.0"`.',
  ],
  [
    "a version that is a number",
    whole.replace('"2.1.0"', "2.1"),
    "SARIF 2.1.0. Expected the version `2.1.0` in `version` at line 1, column 12, but found `2.1`.",
  ],
  [
    "no version",
    whole.replace('"version":"2.1.0",', ""),
    "SARIF 2.1.0. Expected `version` in the document at line 1, column 91, but there is none.",
  ],
  ["no runs", '{"version":"2.1.0"}', "SARIF 2.1.0. Expected `runs` in the document at line 1, column 12, but there is none."],
  [
    "runs null",
    '{"version":"2.1.0","runs":null}',
    "SARIF 2.1.0. Expected a list of runs in `runs` at line 1, column 27, but found `null}`.",
  ],
  [
    "a run that is a text",
    '{"version":"2.1.0","runs":["x"]}',
    'SARIF 2.1.0. Expected an object for a run in `runs[0]` at line 1, column 28, but found `"x"]}`.',
  ],
  ["no results", run(), "SARIF 2.1.0. Expected `results` in the run in `runs[0]` at line 1, column 59, but there is none."],
  [
    "results null",
    run(',"results":null'),
    "SARIF 2.1.0. Expected a list of results in `runs[0].results` at line 1, column 70, but found `null}]}`.",
  ],
  [
    "a run that failed and says nothing else",
    run(',"results":[],"invocations":[{"executionSuccessful":true},{"executionSuccessful":false}]'),
    "SARIF 2.1.0. Expected `true` or a finding that says why not in `runs[0].invocations[1].executionSuccessful` at line 1, column 117, but found `false`.",
  ],
  [
    "results as an object",
    run(',"results":{"0":{}}'),
    'SARIF 2.1.0. Expected a list of results in `runs[0].results` at line 1, column 70, but found `{"0":{}}}]}`.',
  ],
  [
    "a result that is a number",
    results("{}", "5"),
    "SARIF 2.1.0. Expected an object in `runs[0].results[1]` at line 1, column 74, but found `5`.",
  ],
  [
    "a message that is a text",
    results('{"message":"boom"}'),
    'SARIF 2.1.0. Expected an object in `runs[0].results[0].message` at line 1, column 71, but found `"boom"`.',
  ],
  [
    "a line that is a text",
    results('{"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a"},"region":{"startLine":"3"}}}]}'),
    'SARIF 2.1.0. Expected a number in `runs[0].results[0].locations[0].physicalLocation.region.startLine` at line 1, column 71, but found `"3"`.',
  ],
  [
    "locations as an object",
    results('{"locations":{}}'),
    "SARIF 2.1.0. Expected a list in `runs[0].results[0].locations` at line 1, column 71, but found `{`.",
  ],
  [
    "rules as an object",
    '{"version":"2.1.0","runs":[{"tool":{"driver":{"rules":{"r":{}}}},"results":[]}]}',
    'SARIF 2.1.0. Expected a list in `runs[0].tool.driver.rules` at line 1, column 55, but found `{"r":{}}}},"results":[]}]}`.',
  ],
  ["NaN", results('{"rank":NaN}'), "SARIF 2.1.0. Expected a value in `runs[0].results[0].rank` at line 1, column 79, but found `NaN}`."],
  [
    "a number with a leading zero",
    results('{"rank":01}'),
    "SARIF 2.1.0. Expected a value in `runs[0].results[0].rank` at line 1, column 79, but found `01}`.",
  ],
  [
    "single quotes",
    "{'version':'2.1.0'}",
    "SARIF 2.1.0. Expected a name in double quotes at line 1, column 2, but found `'version':'2.1.0'}`.",
  ],
  [
    "a comma at the end",
    results('{"ruleId":"r",}'),
    "SARIF 2.1.0. Expected a name in double quotes in `runs[0].results[0]` at line 1, column 85, but found `}`.",
  ],
  [
    "a comma at the end of a list",
    results('{"ruleId":"r"},'),
    "SARIF 2.1.0. Expected a value in `runs[0].results[1]` at line 1, column 86, but found `]}]}`.",
  ],
  [
    "a line break in a text",
    results('{"ruleId":"a\nb"}'),
    'SARIF 2.1.0. Expected text without control characters in `runs[0].results[0].ruleId` at line 1, column 83, but found `\\nb"}`.',
  ],
  [
    "an escape that there is not",
    results('{"ruleId":"\\\\\\x41"}'),
    'SARIF 2.1.0. Expected an escape that JSON knows in `runs[0].results[0].ruleId` at line 1, column 84, but found `\\x41"}`.',
  ],
  [
    "half an escape",
    results('{"ruleId":"\\u12"}'),
    'SARIF 2.1.0. Expected an escape that JSON knows in `runs[0].results[0].ruleId` at line 1, column 82, but found `\\u12"}`.',
  ],
  [
    "brackets that cross",
    results('{"a":[1}'),
    "SARIF 2.1.0. Expected `]` in `runs[0].results[0]` at line 1, column 78, but found `}]}]}`.",
  ],
  [
    "brackets that cross in what is passed over",
    run(',"results":[],"artifacts":[{"contents":{"a":[1}}]'),
    "SARIF 2.1.0. Expected `]` in `runs[0].artifacts[0].contents` at line 1, column 105, but found `}}]}]}`.",
  ],
  [
    "deep nesting",
    results(`{"a":${"[".repeat(100_000)}`),
    "SARIF 2.1.0. Expected fewer levels of brackets in `runs[0].results[0]` at line 1, column 571, but found `[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[...`.",
  ],
  [
    "deep nesting of what is passed over",
    `{"x":${'{"x":'.repeat(100_000)}`,
    'SARIF 2.1.0. Expected fewer levels of brackets in `x` at line 1, column 2501, but found `{"x":{"x":{"x":{"x":{"x":{"x":{"x":{"x":{"x":{"x":{"x":{"...`.',
  ],
  [
    "UTF-16 read as UTF-8",
    `\uFFFD\uFFFD${Array.from(whole).join("\0")}`,
    'SARIF 2.1.0. Expected an object (`{`) at line 1, column 1, but found `��{\\u0000"\\u0000v\\u0000e\\u0000r\\u0000s\\u0000i\\u0000o\\u000...`. It looks like UTF-16: the tool must print UTF-8.',
  ],
  [
    "an archive",
    "PK\u0003\u0004\u0014\u0000\u0008\u0008\u001b[31m\uFFFD",
    "SARIF 2.1.0. Expected an object (`{`) at line 1, column 1, but found `PK\\u0003\\u0004\\u0014\\u0000\\u0008\\u0008\\u001b[31m�`.",
  ],
  [
    "terminal codes in front",
    `\u001b[2J${whole}`,
    'SARIF 2.1.0. Expected an object (`{`) at line 1, column 1, but found `\\u001b[2J{"version":"2.1.0","runs":[{"tool":{"driver":{"n...`.',
  ],
  ["a list", "[]", "SARIF 2.1.0. Expected an object (`{`) at line 1, column 1, but found `[]`."],
  ["null", "null", "SARIF 2.1.0. Expected an object (`{`) at line 1, column 1, but found `null`."],
  [
    "a comment",
    `// results\n${whole}`,
    'SARIF 2.1.0. Expected an object (`{`) at line 1, column 1, but found `// results\\n{"version":"2.1.0","runs":[{"tool":{"driver":...`.',
  ],
];

const eslint: readonly Case[] = [
  ["nothing", "", "ESLint's JSON. It is empty."],
  [
    "cut off between files",
    file(message).slice(0, -1),
    "ESLint's JSON. Expected `,` or `]` in `[0]` at line 1, column 99, but the output ends there.",
  ],
  [
    "cut off in a message",
    file(message).slice(0, 60),
    "ESLint's JSON. Expected `}` in `[0].messages[0]` at line 1, column 61, but the output ends there.",
  ],
  [
    "ESLint's own crash",
    "\nOops! Something went wrong! :(\n\nESLint: 9.0.0\n",
    "ESLint's JSON. Expected a list of files (`[`) at line 2, column 1, but found `Oops! Something went wrong! :(\\n\\nESLint: 9.0.0\\n`.",
  ],
  [
    "text of the formatter stylish",
    "/w/a.js\n  1:1  error  Unexpected var  no-var\n",
    "ESLint's JSON. Expected a list of files (`[`) at line 1, column 1, but found `/w/a.js\\n  1:1  error  Unexpected var  no-var\\n`.",
  ],
  [
    "the object of another formatter",
    '{"results":[]}',
    'ESLint\'s JSON. Expected a list of files (`[`) at line 1, column 1, but found `{"results":[]}`.',
  ],
  [
    "a file without a path",
    '[{"messages":[]}]',
    "ESLint's JSON. Expected `filePath` for each file in `[0]` at line 1, column 16, but there is none.",
  ],
  [
    "a file without messages",
    '[{"filePath":"/w/a.js"}]',
    "ESLint's JSON. Expected `messages` for each file in `[0]` at line 1, column 23, but there is none.",
  ],
  [
    "messages null",
    '[{"filePath":"/w/a.js","messages":null}]',
    "ESLint's JSON. Expected a list of messages in `[0].messages` at line 1, column 35, but found `null}]`.",
  ],
  [
    "a path that is a number",
    '[{"filePath":5,"messages":[]}]',
    "ESLint's JSON. Expected the path of a file in `[0].filePath` at line 1, column 14, but found `5`.",
  ],
  [
    "a rule that is a number",
    file('{"ruleId":5,"severity":1,"message":"m"}'),
    "ESLint's JSON. Expected a text in `[0].messages[0].ruleId` at line 1, column 36, but found `5`.",
  ],
  [
    "a message without a text",
    file('{"ruleId":"r","severity":1,"line":1}'),
    "ESLint's JSON. Expected a text in `[0].messages[0].message` at line 1, column 36, but there is none.",
  ],
  [
    "a message without a severity",
    file('{"ruleId":"r","message":"m","line":1}'),
    "ESLint's JSON. Expected 1 or 2 in `[0].messages[0].severity` at line 1, column 36, but there is none.",
  ],
  [
    "a severity in words",
    file('{"ruleId":"r","message":"m","severity":"error"}'),
    'ESLint\'s JSON. Expected a number in `[0].messages[0].severity` at line 1, column 36, but found `"error"`.',
  ],
  [
    "a fix without a range",
    file('{"ruleId":"r","message":"m","severity":1,"fix":{"text":"x"}}'),
    "ESLint's JSON. Expected a list of two numbers in `[0].messages[0].fix.range` at line 1, column 36, but there is none.",
  ],
  ["two documents", "[][]", "ESLint's JSON. Expected the end of the text at line 1, column 3, but found `[]`."],
];

describe.each([
  ["sarif", sarif],
  ["eslint", eslint],
] as const)("%s", (format, cases) => {
  test.each(cases)("%s", async (_title, text, says) => {
    const failure = await findingsOf(text, { format }).catch((error: unknown) => error);
    expect(isWaymarkError(failure) && failure.code).toBe("FINDINGS_UNREADABLE");
    expect((failure as Error).message).toBe(`The output of \`tool\` is not ${says}`);
  });

  test.each(cases)("%s, in small pieces", async (_title, text) => {
    const told = async (size: number): Promise<unknown> =>
      findingsOf(chunksOf(text, size), { format }).catch((error: unknown) =>
        isWaymarkError(error) ? [error.message, error.details] : error,
      );
    const expected = await told(Math.max(1, text.length));
    for (const size of text.length > 10_000 ? [997] : [1, 2, 61]) expect(await told(size)).toEqual(expected);
  });
});
