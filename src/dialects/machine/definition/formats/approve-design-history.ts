import { isObject, type Diagnostic } from "../../../../base/index.ts";
import { fieldsOf, nameOf, openJson, reportOnText, sessionReader, textAt, timeAt, wordAt } from "./session-reader.ts";
import { sessionFiles, sessionStates, type SessionState } from "./session-vocabulary.ts";

/** One round in which a design was sent back. */
export interface HistoryEntry {
  readonly at: string;
  readonly decision_id: string;
  readonly answer: string;
  readonly state_context: SessionState;
}

export interface ReadHistory {
  readonly entries: readonly HistoryEntry[];
  readonly problems: readonly Diagnostic[];
}

/** One entry per line; lines that are none are reported and left out. Never throws. */
export function readHistory(text: string, file: string = sessionFiles.history): ReadHistory {
  const whole = sessionReader(file, () => ({ file, line: 1, column: 1 }));
  reportOnText(whole, text);
  const problems: Diagnostic[] = [...whole.problems];
  const entries = text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\r|\n/)
    .flatMap((line, index) => {
      if (line.trim() === "") return [];
      const { entry, found } = readLine(line, file, index + 1);
      problems.push(...found);
      return entry ?? [];
    });
  return { entries, problems };
}

function readLine(line: string, file: string, number: number): { entry?: HistoryEntry; found: readonly Diagnostic[] } {
  const place = { file, line: number, column: 1 };
  const fail = (why: string): { found: readonly Diagnostic[] } => ({
    found: [
      {
        code: "MACHINE_HISTORY_LINE",
        severity: "error",
        message: `Line ${number} of \`${file}\` ${why}. It is left out.`,
        fix: "Each line holds `at`, `decision_id`, `answer` and `state_context`; lines are only ever added.",
        place,
      },
    ],
  });
  const { value } = openJson(line, file);
  if (!isObject(value)) return fail("is not a JSON object");
  const reader = sessionReader(file, () => place);
  const fields = fieldsOf(reader, value, []);
  const at = timeAt(fields, "at");
  const decision_id = textAt(fields, "decision_id");
  const answer = textAt(fields, "answer");
  const state_context = wordAt(fields, "state_context", sessionStates);
  const found = reader.problems.filter(({ severity }) => severity === "warning");
  if (at !== undefined && decision_id !== undefined && answer !== undefined && state_context !== undefined)
    return { entry: { at, decision_id, answer, state_context }, found };
  const lacking = Object.entries({ at, decision_id, answer, state_context }).flatMap(([key, held]) =>
    held === undefined ? [nameOf([key])] : [],
  );
  return fail(`has no usable ${lacking.join(", ")}`);
}

/** The text with one more line; what was there is not touched, and a last line that was cut off gets its line break. */
export function appendHistory(text: string, { at, decision_id, answer, state_context }: HistoryEntry): string {
  const before = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  return `${before}${JSON.stringify({ at, decision_id, answer, state_context })}\n`;
}
