import { visibleText } from "../../base/index.ts";
import { lineOfRun } from "../../engine/index.ts";
import type { Output } from "../output.ts";
import type { Offer } from "./permission-offers.ts";
import type { Changes } from "./what-changed.ts";

type Run = Offer["runs"][number];

/** What a person sees of an offer. `whole` spares no line of a prompt or question. */
export function showOffer(out: Output, offer: Offer, whole: boolean): void {
  const { workflow, path, files = [], run, runs, hash, changes } = offer;
  const where = run === undefined ? (path ?? "") : `as run ${run} has it`;
  out.line(
    workflow === ""
      ? `In every ${runs[0]?.kind === "agent" ? "run" : "workflow"} of this workspace:`
      : `${out.paint("bold", workflow)}  ${where}`,
  );
  for (const file of files.slice(1)) out.line(`  reads ${file}`);
  if (changes !== undefined) showChanges(out, offer, changes);
  for (const each of runs) out.line(`  ${whole ? wholeRun(each) : cutRun(each)}`);
  const shells = new Set(runs.flatMap(({ shell }) => shell ?? []));
  for (const shell of shells) out.line(out.paint("dim", `  commands are run by ${shell}`));
  out.line(out.paint("dim", `  content ${hash.slice(0, 16)}`));
  out.line();
}

/** Whether an offer is shown with less than all of its texts. */
export function isCut({ runs }: Offer): boolean {
  return runs.some((run) => charactersOf(run) > run.text.length);
}

function showChanges(out: Output, { workflow, runs }: Offer, { since, added, gone, edited, plan }: Changes): void {
  const same = added.length + gone.length === 0;
  const old = plan === undefined;
  const whenAndWhat = `Allowed before with other content, ${since.slice(0, 16).replace("T", " ")}.`;
  const unknown = runs.some((run) => run.whole !== undefined) ? ", prompts as far as they were kept" : "";
  const equal = old ? `The commands and prompts are the same${unknown}.` : "The commands, prompts and questions are the same.";
  out.line(`  ${whenAndWhat} ${same ? equal : "Since then:"}`);
  const [now, before] = [edited.map(({ run }) => run), edited.map((each) => each.before)];
  for (const line of without(added, now)) out.line(out.paint("green", `  + ${shownLine(line)}`));
  for (const line of without(gone, before)) out.line(out.paint("red", `  - ${shownLine(line)}`));
  for (const { run, lines } of edited) {
    out.line(`  Changed: ${shownLine(run)}`);
    showLines(out, lines);
  }
  if (old)
    out.line("  An earlier version of Waymark kept neither questions, whole prompts nor the plan, so what else changed is not known.");
  else if (plan.length > 0) {
    out.line(`  ${same ? "What is around them changed. The plan shows this of it:" : "The plan changed too:"}`);
    showLines(out, plan);
  } else if (same) {
    out.advice(`  The plan (\`waymark explain ${workflow}\`) is the same too. Something else changed: an input, what a step must bring,`);
    out.line("  the place of a step in its file, or the file's own name or folder in the project.");
  }
  out.line(`  All that it would run${runs.some(({ kind }) => kind === "question") ? " and ask" : ""}:`);
}

function showLines(out: Output, lines: readonly string[]): void {
  for (const line of lines) {
    const style = line.startsWith("+") ? "green" : line.startsWith("-") ? "red" : "dim";
    out.line(out.paint(style, `    ${visibleText(line)}`));
  }
}

/** Each of the others takes away one that is equal. */
function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...lines];
  for (const other of others) left.splice(left.indexOf(other), 1);
  return left;
}

function cutRun(run: Run): string {
  const all = charactersOf(run);
  return `${shownLine(lineOfRun(run))}${all > run.text.length ? ` (cut, ${all} characters)` : ""}`;
}

function wholeRun({ whole, ...run }: Run): string {
  return shownLine(lineOfRun({ ...run, text: whole === undefined ? run.text : `\n${whole.trimEnd()}` }));
}

/** Of the text as it is shown on one line, without a cut. */
function charactersOf({ text, whole = text }: Run): number {
  return whole.replace(/\s+/g, " ").trim().length;
}

/** Further lines of a command are indented below its first. */
function shownLine(line: string): string {
  return visibleText(line).replaceAll("\n", "\n           ");
}
