import { defined } from "../../base/index.ts";
import { lex, type CodeToken } from "../code/lex.ts";
import { codeSpans, headingAt, plainText, type Block } from "./markdown.ts";

interface FoundName {
  readonly name: string;
  readonly section?: string;
  /** Named outright; otherwise taken from a block of code. */
  readonly sure: boolean;
}

/**
 * Names that a marker introduces: in backticks on its line, else in the list below it, else inside the next block of code. A whole
 * statement counts by the names inside it.
 */
export function searchNames(blocks: readonly Block[], markers: readonly string[]): FoundName[] {
  const found: FoundName[] = [];
  for (const [at, block] of blocks.entries()) {
    if (block.kind !== "text" && block.kind !== "heading") continue;
    const text = plainText(block.text).toLowerCase();
    if (!markers.some((word) => text.startsWith(word.toLowerCase()))) continue;
    const section = headingAt(blocks, at);
    const add = (name: string, sure: boolean): void => void found.push(defined({ name, sure, section }));
    const spans = codeSpans(block.text);
    const listed = spans.length > 0 ? spans : listBelow(blocks, at).flatMap(codeSpans);
    for (const span of listed) for (const name of namesOfSpan(span)) add(name, true);
    const next = blocks[at + 1];
    if (listed.length === 0 && next?.kind === "code") for (const name of namesInCode(next.text)) add(name, false);
  }
  return found;
}

function listBelow(blocks: readonly Block[], at: number): string[] {
  const items: string[] = [];
  for (const block of blocks.slice(at + 1)) {
    if (block.kind !== "text" || !block.item) break;
    items.push(block.text);
  }
  return items;
}

const plainName = /^"[^"\n]+"$|^[\p{L}_][\p{L}\p{N}_]*\*?$|^[\p{L}_][\p{L}\p{N}_]*(?:\.|::)(?:[\p{L}_][\p{L}\p{N}_]*|"[^"\n]+")$/u;

function namesOfSpan(span: string): string[] {
  const name = nameOfCall(span);
  if (plainName.test(name)) return [name];
  return /^(?:codeunit|record|page|report|query|enum)\s+\d+$/i.test(span) ? [span] : namesInCode(span);
}

/** `InitSeries(Def, Old)` is `InitSeries`; `none` and prose are nothing. */
export function nameOfCall(text: string): string {
  const bare = text
    .replace(/\s*\(.*$/s, "")
    .replace(/[;:,.]+$/, "")
    .trim();
  return plainName.test(bare) ? bare : "";
}

const objectKinds = /^(?:codeunit|record|page|report|query|enum|interface|xmlport|database|testpage)$/;
const sections =
  /^(?:area|group|repeater|part|action|actionref|field|layout|actions|cuegroup|grid|fixed|usercontrol|systempart|view|const|filter)$/;

/**
 * Names in an example that separate old code from new: types of declared variables (`Codeunit NoSeriesManagement`), objects
 * (`Codeunit::X`), parts of pages, and methods of something. Names of variables say nothing: every author chooses their own.
 */
export function namesInCode(code: string): string[] {
  const { tokens } = lex(code, "al");
  const names = new Set<string>();
  for (const [at, token] of tokens.entries()) {
    const before = tokens[at - 1];
    if (token.kind === "number" && isObjectKind(before)) names.add(`${before!.text} ${token.text}`);
    if (token.kind === "name" && !sections.test(token.key) && tellsVersions(tokens, at)) names.add(quoted(token.text));
  }
  return [...names];
}

function tellsVersions(tokens: readonly CodeToken[], at: number): boolean {
  const before = tokens[at - 1];
  const next = tokens[at + 1];
  if (isObjectKind(before)) return true;
  if (before?.text === "::") return isObjectKind(tokens[at - 2]);
  if (before?.text === ".") return next?.text === "(" && !recordMethods.has(tokens[at]!.key);
  return before?.text === ";" && next?.text === ")" && tokens[at - 4]?.key === "part";
}

function isObjectKind(token: CodeToken | undefined): boolean {
  return token?.kind === "name" && objectKinds.test(token.key);
}

function quoted(name: string): string {
  return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) ? name : `"${name}"`;
}

/** Methods that every record, list or text has: old and new code use them alike. */
const recordMethods = new Set(
  "get find findset findfirst findlast next insert modify delete modifyall deleteall validate testfield fielderror setrange setfilter setcurrentkey reset init count isempty calcfields calcsums setloadfields copy transferfields rename add contains remove trim replace split substring fieldno recordid tablename getview setview run update close open send".split(
    " ",
  ),
);
