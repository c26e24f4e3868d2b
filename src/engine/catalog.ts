import type * as Dialects from "../dialects/index.ts";
import type { Diagnostic } from "../base/index.ts";
import type { WorkflowInfo } from "../dialects/index.ts";
import type { FoundWorkflow, Host, SourceFile } from "../ports/index.ts";
import { checkProgram, type Program } from "../program/index.ts";
import { expressionChecker } from "./expression-checker.ts";
import { invalidWorkflow, noSuchWorkflow, refused } from "./codes.ts";

/** Loaded with the first workflow: whoever asks for none, such as a client that only wants the list of tools, does not wait for it. */
const dialects = async (): Promise<typeof Dialects> => import("../dialects/index.ts");

/** A workflow as it lies on disk now, checked and lowered. */
export interface LoadedWorkflow {
  readonly name: string;
  readonly path: string;
  readonly source: FoundWorkflow["source"];
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
  readonly version: string;
  readonly shadowed: boolean;
  readonly problems: number;
}

/** Finds and loads workflows by name: project before user before bundled. Nothing is cached beyond one call but parsed files. */
export class Catalog {
  readonly #host: Host;
  readonly #servers: readonly string[];
  readonly #described = new Map<string, WorkflowInfo>();

  constructor(host: Host, servers: readonly string[]) {
    this.#host = host;
    this.#servers = servers;
  }

  async list(includeGlobal = true): Promise<readonly ListedWorkflow[]> {
    const found = await this.#found();
    const seen = new Set<string>();
    const listed: ListedWorkflow[] = [];
    for (const entry of found) {
      if (!includeGlobal && entry.file.source === "global") continue;
      listed.push({
        name: entry.info.name,
        path: entry.file.path,
        source: entry.file.source,
        description: entry.info.description,
        version: entry.info.version,
        shadowed: seen.has(entry.info.name),
        problems: entry.info.problems,
      });
      seen.add(entry.info.name);
    }
    return listed;
  }

  async load(name: string): Promise<LoadedWorkflow> {
    const found = await this.#found();
    const matching = found.filter((entry) => entry.info.name === name);
    const [first, second] = matching;
    if (first === undefined)
      throw noSuchWorkflow(name, [...new Set(found.map((entry) => entry.info.name))], this.#host.definitions.folders());
    if (second !== undefined && second.file.source === first.file.source && second.file.folder === first.file.folder) {
      throw refused(
        "ENGINE_AMBIGUOUS_WORKFLOW",
        `Two files define \`${name}\`: ${first.file.path} and ${second.file.path}.`,
        "Rename or remove one of them.",
        {},
      );
    }
    return this.#load(first.file, name, found);
  }

  /** Loads one file that need not lie in a workflows folder. */
  async loadFile(file: FoundWorkflow): Promise<LoadedWorkflow> {
    return this.#load(file, (await this.#describe(file)).name, await this.#found());
  }

  /** Like `load`, but an invalid definition is an error. */
  async loadValid(name: string): Promise<LoadedWorkflow & { readonly program: Program }> {
    const loaded = await this.load(name);
    if (loaded.program === undefined) throw invalidWorkflow(name, loaded.diagnostics);
    return { ...loaded, program: loaded.program };
  }

  async #found(): Promise<readonly { readonly file: FoundWorkflow; readonly info: WorkflowInfo }[]> {
    const found: { readonly file: FoundWorkflow; readonly info: WorkflowInfo }[] = [];
    for (const file of await this.#host.definitions.find()) found.push({ file, info: await this.#describe(file) });
    return found;
  }

  /** Name, description and inputs of a single file; imports are not needed for these. */
  async #describe(file: FoundWorkflow): Promise<WorkflowInfo> {
    const key = `${file.path}\0${file.text}`;
    const known = this.#described.get(key);
    if (known !== undefined) return known;
    const { loadWorkflow } = await dialects();
    const info = loadWorkflow({ main: file, imports: {}, workflows: {} }).info;
    if (this.#described.size > 500) this.#described.clear();
    this.#described.set(key, info);
    return info;
  }

  async #load(
    file: FoundWorkflow,
    name: string,
    found: readonly { readonly file: FoundWorkflow; readonly info: WorkflowInfo }[],
  ): Promise<LoadedWorkflow> {
    const { filesImportedBy, loadWorkflow, workflowsCalledBy } = await dialects();
    const files = new Map<string, SourceFile>([[file.path, file], ...folderFiles(file)]);
    const imports: Record<string, SourceFile> = {};
    const workflows: Record<string, FoundWorkflow> = {};
    const references: string[] = [];
    const queue: { readonly file: SourceFile & Pick<FoundWorkflow, "files">; readonly folder: string }[] = [{ file, folder: file.folder }];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      for (const reference of filesImportedBy(next.file)) {
        const read = await this.#host.definitions.read(reference, next.file.path, next.folder);
        if (read === undefined) continue;
        imports[`${next.file.path}\0${reference}`] = read;
        references.push(reference);
        if (!files.has(read.path)) queue.push({ file: read, folder: next.folder });
        files.set(read.path, read);
      }
      for (const called of workflowsCalledBy(next.file)) {
        const target = found.find((entry) => entry.info.name === called);
        if (target === undefined || workflows[called] !== undefined) continue;
        workflows[called] = target.file;
        if (!files.has(target.file.path)) queue.push({ file: target.file, folder: target.file.folder });
        files.set(target.file.path, target.file);
        for (const [path, inner] of folderFiles(target.file)) files.set(path, inner);
      }
    }
    const loaded = loadWorkflow({ main: { ...file, name }, imports, workflows }, expressionChecker);
    const broken = loaded.program === undefined ? [] : checkProgram(loaded.program);
    if (broken.length > 0) throw new Error(`Lowering ${name} made a broken program: ${broken.join("; ")}`);
    const program = loaded.program;
    const hash = this.#host.sha256(JSON.stringify({ program, servers: this.#servers }));
    return {
      name,
      path: file.path,
      source: file.source,
      info: loaded.info,
      diagnostics: loaded.diagnostics,
      files: [...files.values()],
      imports: references,
      hash,
      ...(program === undefined ? {} : { program }),
    };
  }
}

/** Files of a workflow that is a folder, under paths of their own. */
function folderFiles({ path, files = [] }: FoundWorkflow): [string, SourceFile][] {
  return files.map((inner) => [`${path}!${inner.path}`, { path: `${path}!${inner.path}`, text: inner.text }]);
}
