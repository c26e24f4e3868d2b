import { isObject, type Diagnostic, type Place } from "../../../../base/index.ts";
import { Fields, nameOf, openJson, plainText, reportOnText, sessionReader } from "./session-reader.ts";
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
  const { problems } = whole;
  const lines = plainText(text).split("\n");
  const entries = lines.flatMap((line, index) => {
    const place = { file, line: index + 1, column: 1 };
    return line.trim() === "" ? [] : (readLine(line, place, problems) ?? []);
  });
  return { entries, problems };
}

function readLine(text: string, place: Place, problems: Diagnostic[]): HistoryEntry | undefined {
  const { file, line } = place;
  const refuse = (why: string): undefined => {
    const message = `Line ${line} of \`${file}\` ${why}. It is left out.`;
    const fix = "Each line holds `at`, `decision_id`, `answer` and `state_context`; lines are only ever added.";
    problems.push({ code: "MACHINE_HISTORY_LINE", severity: "error", message, fix, place });
  };
  const { value } = openJson(text, file);
  if (!isObject(value)) return refuse("is not a JSON object");
  const reader = sessionReader(file, () => place);
  const fields = new Fields(reader, value, []);
  const at = fields.time("at");
  const decision_id = fields.text("decision_id");
  const answer = fields.text("answer");
  const state_context = fields.word("state_context", sessionStates);
  if (at !== undefined && decision_id !== undefined && answer !== undefined && state_context !== undefined) {
    problems.push(...reader.problems.filter(({ severity }) => severity === "warning"));
    return { at, decision_id, answer, state_context };
  }
  const lacking = Object.entries({ at, decision_id, answer, state_context }).filter(([, held]) => held === undefined);
  return refuse(`has no usable ${lacking.map(([key]) => nameOf([key])).join(", ")}`);
}

/** The text with one more line; what was there is not touched, and a last line that was cut off gets its line break. */
export function appendHistory(text: string, { at, decision_id, answer, state_context }: HistoryEntry): string {
  const before = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  return `${before}${JSON.stringify({ at, decision_id, answer, state_context })}\n`;
}
