import { regexText } from "../base/index.ts";
import type { FoundWorkflow } from "../ports/index.ts";
import type { WorkflowInfo } from "../source/index.ts";

/** What a workflow says about itself. */
export interface Described {
  readonly info: WorkflowInfo;
  /** Whether it names other files: then it can have problems that it does not have by itself. */
  readonly refers: boolean;
}

/** A workflow that was found, and what it says about itself. */
export interface Entry extends Described {
  readonly file: FoundWorkflow;
  /** The folder that counts instead of its own, which holds no valid workflow (`before`) or follows it (`after`). */
  readonly instead?: { readonly folder: string; readonly because: "before" | "after" };
  /** A later file of its folder with the same name. */
  readonly replacedBy?: string;
}

/**
 * The workflow files there are, in the order in which they shadow each other. A file is described, and so parsed, when it is asked for: looking for
 * a name reads only the files that have it as a value, and those of which the first valid one decides about its folder.
 */
export class FoundWorkflows {
  readonly #files: readonly FoundWorkflow[];
  readonly #describe: (file: FoundWorkflow) => Promise<Entry>;

  constructor(files: readonly FoundWorkflow[], describe: (file: FoundWorkflow) => Promise<Entry>) {
    this.#files = files;
    this.#describe = describe;
  }

  async all(): Promise<readonly Entry[]> {
    return this.#entries(this.#files);
  }

  async names(): Promise<readonly string[]> {
    return [...new Set((await this.all()).map(({ info }) => info.name))];
  }

  /** Every workflow of a name, also those that do not count. */
  async named(name: string): Promise<readonly Entry[]> {
    const value = valueOf(name);
    const likely = await this.#entries(this.#files.filter((file) => file.firstValid === true || mentions(file, name, value)));
    const named = likely.filter(({ info }) => info.name === name);
    // A file may spell its name in another way, with an escape.
    return named.length > 0 ? named : (await this.all()).filter(({ info }) => info.name === name);
  }

  /** Workflows of a name, the one that counts first. */
  async candidates(name: string): Promise<readonly Entry[]> {
    const rank = ({ instead }: Entry): number => (instead === undefined ? 0 : instead.because === "before" ? 1 : 2);
    return (await this.named(name)).filter(({ replacedBy }) => replacedBy === undefined).toSorted((a, b) => rank(a) - rank(b));
  }

  async #entries(files: readonly FoundWorkflow[]): Promise<readonly Entry[]> {
    const entries: Entry[] = [];
    for (const file of files) entries.push(await this.#describe(file));
    return rankFolders(entries);
  }
}

/** Finds a name where it is the whole value of a key, in YAML and JSON. */
function valueOf(name: string): RegExp {
  return new RegExp(`[:>|+-]\\s*["']?${regexText(name)}["']?\\s*(?:[,}#]|$)`, "m");
}

function mentions({ name: placed, text, files = [] }: FoundWorkflow, name: string, value: RegExp): boolean {
  return placed === name || [text, ...files.map((inner) => inner.text)].some((each) => each.includes(name) && value.test(each));
}

/** Of folders of which the first with a valid workflow counts, what the others hold says so; of two files with one name, the earlier. */
function rankFolders(found: readonly Entry[]): readonly Entry[] {
  const counts = new Map<string, string>();
  for (const { file, info } of found)
    if (file.firstValid === true && info.problems === 0 && !counts.has(file.source)) counts.set(file.source, file.folder);
  return found.map((entry, at): Entry => {
    const { file, info } = entry;
    if (file.firstValid !== true) return entry;
    const folder = counts.get(file.source);
    if (folder !== undefined && folder !== file.folder) {
      const because = found.findIndex((each) => each.file.folder === folder) < at ? "after" : "before";
      return { ...entry, instead: { folder, because } };
    }
    const later = found.findLast((each) => each.info.name === info.name && each.file.folder === file.folder);
    return later === undefined || later === entry ? entry : { ...entry, replacedBy: later.file.path };
  });
}
