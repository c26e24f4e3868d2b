import { readFile } from "node:fs/promises";
import { counted, type JsonObject } from "../../../base/index.ts";
import type { EngineContext } from "../../../engine/index.ts";
import { exitCodes, failure, usage, type Session } from "../../../cli/index.ts";
import { BaselineCounter, isAtLeast, isStanding, readBaseline, renderBaseline } from "../../../findings/index.ts";
import type { BaselineEntry, ReportedFinding } from "../../../findings/index.ts";
import type { Severity } from "../../../ports/index.ts";
import { instanceId } from "../run/index.ts";
import { codes } from "./codes.ts";

/** Options of commands that print findings. */
export interface FilterWishes {
  readonly minSeverity?: Severity;
  readonly baseline?: string;
  readonly updateBaseline?: boolean;
  readonly failOn?: "found" | "auto-fixable" | Severity;
}

/** Which findings are reported, and how the command ends. */
export class FindingFilter {
  readonly #wishes: FilterWishes;
  readonly #baseline: BaselineCounter;
  #known = 0;
  #failing = 0;

  constructor(context: EngineContext, wishes: FilterWishes, known: readonly BaselineEntry[]) {
    this.#wishes = wishes;
    this.#baseline = new BaselineCounter(known, ({ file, rule, text = "", message }) =>
      instanceId(context, file, { pattern: rule, text: text === "" ? message : text }, 0),
    );
  }

  /** Whether it is reported; each finding is asked about once. */
  takes(finding: ReportedFinding): boolean {
    const { minSeverity = "info", baseline } = this.#wishes;
    if (!isAtLeast(finding.severity, minSeverity)) return false;
    if (!isStanding(finding)) return true;
    if (baseline !== undefined && !this.#baseline.isNew(finding)) {
      this.#known += 1;
      return false;
    }
    if (this.#fails(finding)) this.#failing += 1;
    return true;
  }

  #fails({ severity, autoFixable }: ReportedFinding): boolean {
    const { failOn } = this.#wishes;
    if (failOn === undefined) return false;
    return failOn === "found" || (failOn === "auto-fixable" ? autoFixable : isAtLeast(severity, failOn));
  }

  /** For summaries: how many the baseline knows; nothing without one. */
  get data(): JsonObject {
    return this.#wishes.baseline === undefined ? {} : { known: this.#known };
  }

  get #lines(): readonly string[] {
    return this.#known === 0 ? [] : [`${counted(this.#known, "finding is", "findings are")} known from the baseline and left out.`];
  }

  /** Prints what is left of the findings that pass; writes the baseline of them instead, where that is asked for. */
  async report(session: Session, findings: AsyncIterable<ReportedFinding>, print: () => Promise<void>): Promise<number> {
    if (this.#wishes.updateBaseline === true) {
      // Every finding that passes is counted.
      for await (const _finding of findings);
      await this.#write(session);
    } else await print();
    for (const line of this.#lines) session.out.aside(line);
    return this.#failing > 0 && this.#wishes.updateBaseline !== true ? exitCodes.failed : exitCodes.done;
  }

  async #write(session: Session): Promise<void> {
    const { out, world } = session;
    const { baseline = "" } = this.#wishes;
    const entries = [...this.#baseline.entries];
    const findings = entries.reduce((sum, { count }) => sum + count, 0);
    await world.writeFile(session.pathOf(baseline), renderBaseline(entries));
    out.document({ baseline, findings, entries: entries.length });
    out.line(`Wrote ${counted(findings, "finding")} to ${baseline}.`);
  }
}

/** The filter that the options ask for, with its baseline read. */
export async function openFilter(session: Session, context: EngineContext, wishes: FilterWishes): Promise<FindingFilter> {
  const { baseline, updateBaseline = false } = wishes;
  if (updateBaseline && baseline === undefined)
    throw usage("`--update-baseline` writes the file of `--baseline`.", "Add `--baseline <file>`.");
  return new FindingFilter(context, wishes, baseline === undefined || updateBaseline ? [] : await read(session, baseline));
}

async function read(session: Session, file: string): Promise<readonly BaselineEntry[]> {
  const wrong = (reason: string, fix: string | undefined): Error =>
    failure("CLI_BASELINE", `The baseline \`${file}\` cannot be used: ${reason}.`, fix);
  let text: string;
  try {
    text = await readFile(session.pathOf(file), "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw wrong("it does not exist", "Write it with `--update-baseline`, or correct its path.");
    throw wrong(code === "EISDIR" ? "it is a folder" : message, "Name a file that can be read.");
  }
  const entries = readBaseline(text.replace(/^\uFEFF/, ""));
  if ("problem" in entries) throw wrong(entries.problem, codes["CLI_BASELINE"]?.fix);
  return entries;
}
