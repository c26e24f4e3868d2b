import { type CallSpec, type Following, followingText, callText, type CutText } from "../../../views/index.ts";
import { type Json, type JsonObject, defined, wholeCharacters } from "../../../base/index.ts";

/** What an agent has to do next, however it was found. Lines and columns count from 1. */
export interface CheckAction extends Following {
  /** `analyze_file`, `apply_topic`, `convert_instance`, `complete_workflow` ... */
  readonly action: string;
  readonly actionId: string;
  readonly instruction: string;
  readonly file?: string;
  /** Id of the checklist entry or instance. */
  readonly item?: string;
  readonly line?: number;
  readonly column?: number;
  readonly match_text?: string;
  /** Lines around the match, from line `context_line` of the file on. */
  readonly context?: string;
  readonly context_line?: number;
  readonly suggested_fix?: string;
  /** Given once for each type. */
  readonly specialist_guidance?: string;
  readonly topic_id?: string;
  readonly guide_section?: string;
  /** Text of the guide's section; given once for each section. */
  readonly guide_content?: string;
  /** The name that clients know; the precise one is beside it where that is another. */
  readonly instance_type?: string;
  readonly precise_type?: string;
  /** The tool that does the work, with its arguments. */
  readonly tool_call?: CallSpec;
  /** A decision: what a person may choose, and what is recommended. */
  readonly options?: readonly ActionOption[];
  readonly recommended?: string;
}

export interface ActionOption {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
}

export function isDecision(action: CheckAction): boolean {
  return action.options !== undefined;
}

const optionsShown = 6;
/**
 * Tokens that long texts of an instance may take at most, in the order in which they are served when there is little room. Those of
 * other actions share what there is.
 */
const flexible = [
  ["match_text", 220],
  ["instruction", 80],
  ["suggested_fix", 160],
  ["specialist_guidance", 130],
  ["context", 400],
] as const;
/** A decision is put to a person once: its words may be longer. */
const decisionInstruction = 150;
/** Shown whole or not at all. */
const wholeOnly: ReadonlySet<string> = new Set(["suggested_fix", "specialist_guidance"]);
const guideTokens = 300;
/** What it costs to say which call brings the rest of a text. */
const wordTokens = 90;
/** The name of a field; that of the instruction is always there. */
const nameTokens = 4;
const leastInstruction = 20;

/** An action whose texts fit, and those that were cut. */
export interface FittedAction {
  readonly action: CheckAction;
  readonly cut: readonly CutText[];
}

/** The action without its long texts: what must be paid in any case. */
export function bareAction(action: CheckAction): FittedAction {
  const bare: Record<string, unknown> = { ...action, instruction: "" };
  for (const [name] of flexible) if (name !== "instruction") delete bare[name];
  delete bare["guide_content"];
  return { action: bare as unknown as CheckAction, cut: [] };
}

/**
 * Cuts the long texts of an action to the tokens that are left for them. A fix is never shown in part: an agent might write it; nor is
 * guidance, of which the beginning says nothing. The text of a guide comes on top, for it is given once for each section.
 */
export function fitAction(action: CheckAction, tokens: number): FittedAction {
  if (isDecision(action)) return fitDecision(action);
  let left = tokens;
  const cut: CutText[] = [];
  const fitted: Record<string, unknown> = { ...action };
  for (const [name, most] of flexible) {
    const text = name === "context" ? dedented(action.context) : action[name];
    if (text === undefined) continue;
    const paid = name === "instruction" ? 0 : nameTokens;
    const least = name === "instruction" ? leastInstruction : 0;
    const room = Math.min(action.match_text === undefined ? tokens : most, Math.max(left - paid, least));
    const clipped = name === "context" ? linesAround(text, centreOf(action), room) : clipQuoted(text, room);
    const shown = clipped !== text && wholeOnly.has(name) ? "" : clipped;
    if (clipped !== text) {
      const begun = name === "context" ? 0 : shown.length;
      cut.push({ name, text, shown: begun, ...(name === "instruction" ? {} : { spare: true }) });
      left -= nameTokens;
    }
    if (shown === "" && name !== "instruction") delete fitted[name];
    else fitted[name] = shown;
    if (shown !== "") left -= quotedTokens(shown) + paid;
  }
  if (action.guide_content !== undefined) {
    const { guide_content: guide } = action;
    const shown = fitGuide(guide);
    fitted["guide_content"] = shown;
    if (shown !== guide) cut.push({ name: "guide_content", text: guide, shown: shown.length });
  }
  return { action: fitted as unknown as CheckAction, cut };
}

function fitGuide(text: string): string {
  return clipQuoted(text, guideTokens) === text ? text : clipQuoted(text, guideTokens - wordTokens);
}

/** Of a view: which texts of its action were cut. */
export function cutOf({ cut }: FittedAction): { readonly cut?: readonly CutText[] } {
  return cut.length === 0 ? {} : { cut };
}

/** Context is for reading: what all its lines are indented by says nothing. */
function dedented(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const lines = text.split("\n");
  const indents = lines.filter((line) => line.trim() !== "").map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
  const least = indents.length === 0 ? 0 : Math.min(...indents);
  return least === 0 ? text : lines.map((line) => line.slice(least)).join("\n");
}

/** The line of the context that the match begins in, from 0. */
function centreOf({ line = 1, context_line: first = line }: CheckAction): number {
  return Math.max(0, line - first);
}

/** As many lines around the one in the middle as there is room for; those far from it go first. Nothing where that line has no room. */
function linesAround(text: string, centre: number, most: number): string {
  const lines = text.split("\n");
  const costs = lines.map((line) => quotedTokens(`${line}\n`));
  let [from, to] = [0, lines.length];
  let sum = costs.reduce((all, cost) => all + cost, 0);
  while (to > from && sum > most) {
    const last = to - 1 - centre >= centre - from;
    sum -= (last ? costs[--to] : costs[from++]) ?? 0;
  }
  if (to - from === lines.length) return text;
  return from <= centre && to > centre ? lines.slice(from, to).join("\n") : "";
}

/** What a text costs between quotes, where line ends and quotes are written out. */
function quotedTokens(text: string): number {
  return roughTokens(JSON.stringify(text));
}

function clipQuoted(text: string, most: number): string {
  for (let tokens = most; tokens > 0; tokens = Math.floor((tokens * 2) / 3)) {
    const clipped = startOf(text, tokens);
    if (quotedTokens(clipped) <= most + 2) return clipped;
  }
  return "";
}

function fitDecision(action: CheckAction): FittedAction {
  const options = (action.options ?? []).slice(0, optionsShown).map(({ id, label, description }) => ({
    id,
    label: clipTokens(label, 25),
    ...(description === undefined ? {} : { description: clipTokens(description, 35) }),
  }));
  return { action: { ...action, instruction: clipTokens(action.instruction, decisionInstruction), options }, cut: [] };
}

/** `next_action` as clients know it. */
export function actionData({ action, cut }: FittedAction): JsonObject {
  const { options, tool_call: tool, next_call: next } = action;
  const spare = cut.flatMap(({ name, spare: known }) => (known === true ? [name] : []));
  const named = next !== undefined && Object.values(next.arguments).includes(action.actionId);
  return defined({
    type: isDecision(action) ? "user_decision" : undefined,
    action: action.action,
    action_id: named || action.item !== undefined || action.actionId === "" ? undefined : action.actionId,
    file: action.file,
    line: action.line,
    column: action.column,
    checklist_item_id: action.item,
    topic_id: action.topic_id,
    instance_type: action.instance_type,
    precise_type: action.precise_type,
    match_text: action.match_text,
    context: action.context,
    suggested_fix: action.suggested_fix,
    specialist_guidance: action.specialist_guidance,
    guide_section: action.guide_section,
    guide_content: action.guide_content,
    instruction: action.instruction,
    tool_call: tool === undefined ? undefined : { tool: tool.tool, args: tool.arguments },
    options: options as unknown as Json | undefined,
    recommended: action.recommended,
    cut: spare.length === 0 ? undefined : spare,
  });
}

/** The same in a few lines; enough for an agent that reads text alone. */
export function actionText({ action }: FittedAction): string {
  const lines = [headline(action)];
  if (action.match_text !== undefined) lines.push(action.match_text);
  if (action.context !== undefined) lines.push(`Context:\n${action.context}`);
  if (action.suggested_fix !== undefined) lines.push(`Suggested: ${action.suggested_fix}`);
  if (action.specialist_guidance !== undefined) lines.push(action.specialist_guidance);
  if (action.guide_section !== undefined) lines.push(`Guide, ${action.guide_section}:`);
  if (action.guide_content !== undefined) lines.push(action.guide_content);
  lines.push(action.instruction);
  for (const option of action.options ?? []) lines.push(optionLine(option, action.recommended));
  // Where the same tool follows, the line below names it.
  if (action.tool_call !== undefined && action.tool_call.tool !== action.next_call?.tool) lines.push(`Call ${callText(action.tool_call)}`);
  lines.push(...followingText(action));
  return lines.join("\n");
}

function headline({ action, file, line, column, item, topic_id: topic, instance_type: type }: CheckAction): string {
  const place = line === undefined ? "" : `:${line}${column === undefined ? "" : `:${column}`}`;
  const about = [item === undefined ? "" : `item ${item}`, topic === undefined ? "" : `topic ${topic}`, type ?? ""].filter(
    (part) => part !== "",
  );
  return `${action}${file === undefined ? "" : ` ${file}${place}`}${about.length === 0 ? "" : ` (${about.join(", ")})`}`;
}

function optionLine({ id, label, description }: ActionOption, recommended: string | undefined): string {
  const mark = id === recommended && !/recommended/i.test(label) ? " (recommended)" : "";
  return `- ${id}: ${label}${mark}${description === undefined ? "" : `. ${description}`}`;
}

const dots = "...";

/** At most so many characters, cut between characters, never inside a pair of code units. */
export function clipChars(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, wholeCharacters(text, Math.max(0, most - dots.length))).trimEnd()}${dots}`;
}

/** At most so many tokens by a cheap estimate that is rather too high than too low. */
export function clipTokens(text: string, most: number): string {
  const kept = startOf(text, most);
  if (kept === text || kept === "") return kept;
  return shortEnd.test(text.slice(kept.length)) ? text : `${kept}${dots}`;
}

/** The beginning of a text that costs at most so many tokens. */
export function startOf(text: string, most: number): string {
  if (most <= 0) return "";
  let spent = 0;
  for (const { 0: piece, index } of text.matchAll(pieces)) {
    const cost = costOf(piece);
    spent += cost;
    if (spent <= most) continue;
    // As many characters of the last piece as can be had for what is left, but for the sign that ends it.
    const room = most - (spent - cost) - 1;
    const end = index + Math.max(0, Math.floor((room / cost) * piece.length));
    return text.slice(0, wholeCharacters(text, end)).trimEnd();
  }
  return text;
}

/** An end that is not longer than the sign for it: leaving it out would save nothing. */
const shortEnd = /^[ -~]{1,3}$/;

/**
 * What a text costs in tokens, rather too much than too little: short words with the sign before them one, longer ones more, digits
 * one for three, signs that stand together in code and JSON about one for two, letters of other scripts one to three each.
 */
export function roughTokens(text: string): number {
  let spent = 0;
  for (const [piece] of text.matchAll(pieces)) spent += costOf(piece);
  return Math.ceil(spent);
}

const pieces = /[ "'(_./]?(?:[A-Z]?[a-z]+|[A-Z]+)|[0-9]{1,3}|\s+|[!-/:-@[-`{-~]+|[\u0080-\u04FF]+|[\u3040-\u9FFF\uAC00-\uD7A3]+|[^]/g;
const knownScripts = /^[\u3040-\u9FFF\uAC00-\uD7A3]/;
const joined = /^[":,{}[\]()';=/._-]+$/;

function costOf(piece: string): number {
  const { length } = piece;
  const last = piece.charCodeAt(length - 1);
  if (last > 0x7f) return last < 0x500 ? length : length * (knownScripts.test(piece) ? 1.3 : last >= 0xd800 && last <= 0xdfff ? 2.4 : 3.4);
  if (/[a-z]$/.test(piece)) return length <= 7 ? 1 : length <= 10 ? 1.4 : length <= 14 ? 2 : length / 2.4;
  if (/[A-Z]$/.test(piece)) return length <= 2 ? 1 : length / 1.8;
  if (/^[0-9]/.test(piece)) return 1;
  if (/^\s/.test(piece)) return piece === " " ? 0 : Math.max(1, length / 8);
  return joined.test(piece) ? Math.max(1, length / 2.2) : Math.max(1, length / 1.3);
}
