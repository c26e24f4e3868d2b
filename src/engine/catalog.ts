import { isWaymarkError, type Diagnostic } from "../base/index.ts";
import type { FoundWorkflow, Host, SourceFile } from "../ports/index.ts";
import { checkProgram, movedPrograms, permittedForm, type Program } from "../program/index.ts";
import type {
  Dialect,
  ExpressionChecker,
  FolderFile,
  Linker,
  LoneCall,
  LoweredWorkflow,
  References,
  SourceSet,
  WorkflowInfo,
} from "../source/index.ts";
import { checkExpr, collisions, dependencyGraph, namesOf } from "../state/index.ts";
import { FoundWorkflows, type Described, type Entry } from "./found-workflows.ts";
import { keptIn } from "./kept-in.ts";
import { invalidWorkflow, noSuchWorkflow, otherFolder, refused, replacedFile } from "./codes.ts";

/** A workflow as it is on disk now, checked and lowered. */
export interface LoadedWorkflow {
  readonly name: string;
  readonly path: string;
  readonly source: FoundWorkflow["source"];
  /** Bundled or the user's own, with everything that it calls. */
  readonly own: boolean;
  readonly info: WorkflowInfo;
  readonly diagnostics: readonly Diagnostic[];
  /** Absent when there are errors. */
  readonly program?: Program;
  /** Every file that lowering read, main file first. */
  readonly files: readonly SourceFile[];
  /** Import references as written, per file that was read because of them. */
  readonly imports: readonly string[];
  /** Hash over the program and the commands of the project's tool servers: what a permission is given for. */
  readonly hash: string;
}

export interface ListedWorkflow {
  readonly name: string;
  readonly path: string;
  readonly source: FoundWorkflow["source"];
  readonly description: string;
  /** What it says about the requests it is for. */
  readonly routing: WorkflowInfo["routing"];
  readonly version: string;
  readonly shadowed: boolean;
  readonly problems: number;
}

/** A workflow that its name starts, with what it says about the requests it is for. */
export type StartableWorkflow = Pick<ListedWorkflow, "name" | "path" | "source" | "description"> & ListedWorkflow["routing"];

export interface CatalogParts {
  readonly host: Host;
  /** Command lines of the project's tool servers; part of what a permission covers. */
  readonly servers: readonly string[];
  /** Names of the coding agents that the configuration adds. */
  readonly agents?: readonly string[];
  readonly leaves: { load(program: Program): Promise<void>; inProgram(program: Program): unknown };
  /** Asked for with the first workflow: a client that only wants the list of tools does not wait for them. */
  readonly dialects: () => Promise<readonly Dialect[]>;
}

/** What dialects need to know of expressions, from the room that understands them. */
export const expressionChecker: ExpressionChecker = {
  check: checkExpr,
  names: namesOf,
  cycles: (part) => dependencyGraph(part).cycles,
  collisions,
};

const mostLowered = 50;
const mostParsed = 500;

/** Finds and loads workflows by name: project before user before bundled. Nothing is cached beyond one call but parsed files. */
export class Catalog {
  readonly #parts: CatalogParts;
  #linker: Promise<Linker> | undefined;
  /** What files say about themselves and what they name, by their content. */
  readonly #described = new Map<string, Described>();
  readonly #named = new Map<string, References>();
  readonly #hashes = new WeakMap<Program, string>();
  readonly #moved = new WeakMap<Program, Readonly<Record<string, readonly string[]>>>();
  /** What sets of files were lowered to, by their content. */
  readonly #lowered = new Map<string, LoweredWorkflow>();

  constructor(parts: CatalogParts) {
    this.#parts = parts;
  }

  async list(includeGlobal = true): Promise<readonly ListedWorkflow[]> {
    const found = await this.#found();
    const seen = new Set<string>();
    const listed: ListedWorkflow[] = [];
    for (const entry of await found.all()) {
      if (!includeGlobal && entry.file.source === "global") continue;
      const { path, source } = entry.file;
      const { name, description, routing, version, problems } = entry.info;
      const all = entry.refers ? await this.#problems(entry, found) : problems;
      const shadowed = seen.has(name) || entry.instead?.because === "after" || entry.replacedBy !== undefined;
      listed.push({ name, path, source, description, routing, version, shadowed, problems: all });
      if (entry.instead === undefined && entry.replacedBy === undefined) seen.add(name);
    }
    return listed;
  }

  /** What a request can be routed to: without those that are shadowed and those with errors. */
  async startable(): Promise<readonly StartableWorkflow[]> {
    const all = await this.list();
    return all.flatMap(({ name, path, source, description, routing, shadowed, problems }) =>
      shadowed || problems > 0 ? [] : [{ name, path, source, description, ...routing }],
    );
  }

  /** Errors of a workflow together with what it calls. */
  async #problems(entry: Entry, found: FoundWorkflows): Promise<number> {
    try {
      const { diagnostics } = await this.#load(entry, entry.info.name, found);
      return diagnostics.filter(({ severity }) => severity === "error").length;
    } catch (error) {
      if (!isWaymarkError(error)) throw error;
      return entry.info.problems + 1;
    }
  }

  async load(name: string): Promise<LoadedWorkflow> {
    const found = await this.#found();
    const [first, second] = await found.candidates(name);
    if (first === undefined) throw noSuchWorkflow(name, await found.names(), this.#parts.host.definitions.folders());
    if (first.instead?.because === "after") throw otherFolder(name, first.file.path, first.instead.folder);
    if (second !== undefined && second.file.source === first.file.source && second.file.folder === first.file.folder) {
      throw refused(
        "ENGINE_AMBIGUOUS_WORKFLOW",
        `Two files define \`${name}\`: ${first.file.path} and ${second.file.path}.`,
        "Rename or remove one of them.",
        {},
      );
    }
    return this.#load(first, name, found);
  }

  /** Loads one file that need not be in a workflows folder. */
  async loadFile(file: FoundWorkflow): Promise<LoadedWorkflow> {
    return this.#load(await this.#entry(file), undefined, await this.#found());
  }

  /** Like `load`, but an invalid definition is an error. */
  async loadValid(name: string): Promise<LoadedWorkflow & { readonly program: Program }> {
    const loaded = await this.load(name);
    if (loaded.program === undefined) throw invalidWorkflow(name, loaded.diagnostics);
    return { ...loaded, program: loaded.program };
  }

  /** Command lines of the project's tool servers. */
  get servers(): readonly string[] {
    return this.#parts.servers;
  }

  /** What a permission is given for: the program, loaded or pinned, and the project's tool servers. */
  hashOf(program: Program): string {
    const known = this.#hashes.get(program);
    if (known !== undefined) return known;
    const hash = this.#hash({ program: permittedForm(program), servers: this.#parts.servers });
    this.#hashes.set(program, hash);
    return hash;
  }

  /** The same if a folder around the files of a pinned program were this one: its run may have been started on another computer. */
  hashesIn(program: Program, folder: string): readonly string[] {
    const known = this.#moved.get(program)?.[folder];
    if (known !== undefined) return known;
    const hashes = movedPrograms(program, folder).map((moved) => this.hashOf(moved));
    this.#moved.set(program, { ...this.#moved.get(program), [folder]: hashes });
    return hashes;
  }

  /** Whether a bundled workflow, or one of the user's own, has this name and exactly this content. A bundled one may be installed elsewhere. */
  async isOwn(program: Program): Promise<boolean> {
    const found = await this.#found();
    for (const entry of await found.named(program.name)) {
      const { source, folder } = entry.file;
      if (source === "project") continue;
      const { own, hash } = await this.#load(entry, program.name, found);
      const same = [this.hashOf(program), ...(source === "bundled" ? this.hashesIn(program, folder) : [])];
      if (own && same.includes(hash)) return true;
    }
    return false;
  }

  /** Calls in parallel tasks of workflows that have to run alone. */
  async loneCalls(program: Program): Promise<readonly LoneCall[]> {
    return (await this.#link()).loneCalls(program);
  }

  #hash(content: unknown): string {
    return this.#parts.host.sha256(JSON.stringify(content));
  }

  async #found(): Promise<FoundWorkflows> {
    return new FoundWorkflows(await this.#parts.host.definitions.find(), (file) => this.#entry(file));
  }

  async #entry(file: FoundWorkflow): Promise<Entry> {
    const { info, refers } = await this.#describe(file);
    const unread = file.problems?.length ?? 0;
    return { file, refers, info: unread === 0 ? info : { ...info, problems: info.problems + unread } };
  }

  async #link(): Promise<Linker> {
    this.#linker ??= import("../source/index.ts").then(async ({ createLinker }) => createLinker(await this.#parts.dialects()));
    return this.#linker;
  }

  /** Name, description and inputs of a single file or folder; imports are not needed for these. */
  async #describe(file: FoundWorkflow): Promise<Described> {
    const linker = await this.#link();
    const { workflows, files } = await this.#namedBy(file);
    const { agents = [] } = this.#parts;
    const make = (): Described => ({
      info: linker.load({ main: file, imports: {}, workflows: {}, alone: true, agents }).info,
      refers: workflows.length > 0 || files.length > 0,
    });
    return keptIn(this.#described, { key: this.#keyOf(file), most: mostParsed, make });
  }

  async #namedBy(file: FolderFile): Promise<References> {
    const { referencesOf } = await this.#link();
    return keptIn(this.#named, { key: this.#keyOf(file), most: mostParsed, make: () => referencesOf(file) });
  }

  #keyOf({ path, text, files }: FolderFile): string {
    const inner = files === undefined ? "" : this.#parts.host.sha256(JSON.stringify(files));
    return `${path}\0${text}\0${inner}`;
  }

  /** What a set of files is lowered to; known when the same content was lowered before. Throws for a program that cannot run. */
  async #lower(name: string, set: SourceSet): Promise<LoweredWorkflow> {
    const { load, referencesOf } = await this.#link();
    const named = (file: SourceFile): References => this.#named.get(this.#keyOf(file)) ?? referencesOf(file);
    const key = this.#parts.host.sha256(JSON.stringify(set));
    const loaded = this.#lowered.get(key) ?? load(set, expressionChecker, named);
    if (loaded.program !== undefined && !this.#lowered.has(key)) {
      const broken = checkProgram(loaded.program);
      if (broken.length > 0) throw new Error(`Lowering ${name} made a broken program: ${broken.join("; ")}`);
      await this.#parts.leaves.load(loaded.program);
      this.#parts.leaves.inProgram(loaded.program);
    }
    return keptIn(this.#lowered, { key, most: mostLowered, make: () => loaded });
  }

  async #load({ file, info }: Entry, named: string | undefined, found: FoundWorkflows): Promise<LoadedWorkflow> {
    const name = named ?? info.name;
    const { gatherSources, importKey } = await import("../source/index.ts");
    const { files, imports, references, workflows, missing, problems } = await gatherSources(file, {
      referencesOf: (each) => this.#namedBy(each),
      read: (...reference) => this.#parts.host.definitions.read(...reference),
      workflow: async (each) => (await found.candidates(each))[0]?.file,
    });
    const known = missing ? { known: await found.names() } : {};
    const { files: wanted } = await this.#namedBy(file);
    const lacksText = wanted.some((ways) => !ways.some((way) => imports[importKey(file.path, way)] !== undefined));
    const texts = lacksText ? { texts: await this.#parts.host.definitions.texts(file.folder) } : {};
    const { agents = [] } = this.#parts;
    const { workspace } = this.#parts.host;
    const set = { main: { ...file, name }, imports, workflows, agents, workspace, ...known, ...texts };
    const loaded = await this.#lower(name, set);
    const program = problems.length > 0 ? undefined : loaded.program;
    const replaced = (await found.named(name)).filter((entry) => entry.replacedBy === file.path);
    return {
      name,
      path: file.path,
      source: file.source,
      own: [file, ...Object.values(workflows)].every(({ source }) => source !== "project"),
      info: loaded.info,
      diagnostics: [...loaded.diagnostics, ...problems, ...replaced.map((entry) => replacedFile(name, entry.file.path, file.path))],
      files: [...files.values()],
      imports: references,
      hash: program === undefined ? this.#hash({ servers: this.#parts.servers }) : this.hashOf(program),
      ...(program === undefined ? {} : { program }),
    };
  }
}
