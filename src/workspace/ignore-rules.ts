import { existsSync, lstatSync, readFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import ignore, { type Ignore } from "ignore";
import { pathBelow } from "./root-path.ts";

/** A larger file is not taken as a file of rules. */
const maxRuleBytes = 1 << 20;

/**
 * What git ignores, seen from the folders of one walk. All rules are kept in the coordinates of the repository's top folder, so that
 * a deeper file overrules a higher one and a folder taken back in stays in. Personal rules outside the repository do not count: the
 * same job must see the same files for every user.
 */
export interface IgnoreRules {
  /** The rules in force inside a folder below the root: those above it and its own. */
  enter(folder: string): IgnoreRules;
  /** Whether a name directly in the folder entered last is ignored. */
  ignores(name: string, isFolder: boolean): boolean;
  /** The same rules, with a folder and all above it taken back in: it was asked for by name. */
  readmit(folder: string): IgnoreRules;
}

export const noRules: IgnoreRules = { enter: () => noRules, ignores: () => false, readmit: () => noRules };

/** The rules in force in the root itself, those of the repository above it included; the root itself is never ignored. */
export function gitRules(root: string): IgnoreRules {
  const top = repositoryTop(root) ?? root;
  const rules = empty();
  addRules(rules, "", join(gitFolder(top), "info", "exclude"));
  const above = pathBelow(top, root);
  const names = above.split("/").filter(Boolean);
  for (let count = 0; count <= names.length; count += 1) {
    const path = names.slice(0, count).join("/");
    addRules(rules, path, join(top, path, ".gitignore"));
  }
  const prefix = above === "" ? "" : `${above}/`;
  return new Rules({ root, above: prefix, rules, folder: prefix }).readmit("");
}

interface RulesFacts {
  readonly root: string;
  /** Path of the root below the repository's top folder, with a `/` at its end. */
  readonly above: string;
  readonly rules: Ignore;
  readonly folder: string;
}

class Rules implements IgnoreRules {
  readonly #facts: RulesFacts;

  constructor(facts: RulesFacts) {
    this.#facts = facts;
  }

  enter(folder: string): IgnoreRules {
    const { root, above, rules } = this.#facts;
    if (folder === "") return this;
    // A copy for each folder: it shares the compiled rules, and what it remembers of tested paths goes with it.
    const own = empty().add(rules);
    addRules(own, above + folder, join(root, folder, ".gitignore"));
    return new Rules({ root, above, rules: own, folder: `${above}${folder}/` });
  }

  ignores(name: string, isFolder: boolean): boolean {
    const { rules, folder } = this.#facts;
    const path = folder + name;
    return ignore.isPathValid(path) && rules.ignores(isFolder ? `${path}/` : path);
  }

  readmit(folder: string): IgnoreRules {
    const names = (this.#facts.above + folder).split("/").filter(Boolean);
    const rules = empty().add(this.#facts.rules);
    for (let count = 1; count <= names.length; count += 1) rules.add(`!/${escapeName(names.slice(0, count).join("/"))}/`);
    return new Rules({ ...this.#facts, rules });
  }
}

function empty(): Ignore {
  return ignore({ ignorecase: process.platform === "win32" || process.platform === "darwin" });
}

/** Adds the rules of one file, which count from `folder` on. Links are not followed, as git does not. */
function addRules(rules: Ignore, folder: string, file: string): void {
  let text: string;
  try {
    const facts = lstatSync(file);
    if (!facts.isFile() || facts.size > maxRuleBytes) return;
    text = readFileSync(file, "utf8");
  } catch {
    return;
  }
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  rules.add(folder === "" ? lines.join("\n") : lines.map((line) => anchor(line, folder)).join("\n"));
}

/** A rule of a deeper file, written as one of the top folder. */
function anchor(line: string, folder: string): string {
  if (line.trim() === "" || line.startsWith("#")) return "";
  const negated = line.startsWith("!");
  const rule = negated ? line.slice(1) : line.startsWith("\\#") || line.startsWith("\\!") ? line.slice(1) : line;
  const rooted = rule.replace(/\s+$/, "").slice(0, -1).includes("/");
  const below = rooted ? rule.replace(/^\//, "") : `**/${rule}`;
  return `${negated ? "!" : ""}/${escapeName(folder)}/${below}`;
}

function escapeName(path: string): string {
  return path.replace(/[\\*?[\]]/g, "\\$&").replace(/ (?=\/|$)/g, "\\ ");
}

function repositoryTop(root: string): string | undefined {
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

/** Where a repository keeps `info/exclude`: in `.git`, or where the file `.git` of a worktree points to. */
function gitFolder(top: string): string {
  const git = join(top, ".git");
  try {
    if (lstatSync(git).isDirectory()) return git;
    const [, target = ""] = /^gitdir: (.+)$/m.exec(readFileSync(git, "utf8")) ?? [];
    const own = isAbsolute(target) ? target : resolve(top, target);
    return resolve(own, readFileSync(join(own, "commondir"), "utf8").trim());
  } catch {
    return git;
  }
}
