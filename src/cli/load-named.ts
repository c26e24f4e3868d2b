import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { errorsIn, refused, type EngineContext, type LoadedWorkflow } from "../engine/index.ts";
import { failure } from "./codes.ts";
import type { Session } from "./session.ts";

type Definitions = EngineContext["host"]["definitions"];
type Found = Awaited<ReturnType<Definitions["find"]>>[number];

/** A workflow by its name, or by its file: an argument that looks like a path is one. */
export async function loadNamed(session: Session, context: EngineContext, name: string): Promise<LoadedWorkflow> {
  if (!looksLikeFile(name)) return context.catalog.load(name);
  return context.catalog.loadFile(await foundFile(context.host.definitions, session.pathOf(name)));
}

/** The same; a definition with errors is refused, with its first problems. */
export async function loadValid(session: Session, context: EngineContext, name: string): Promise<LoadedWorkflow> {
  if (!looksLikeFile(name)) return context.catalog.loadValid(name);
  const workflow = await loadNamed(session, context, name);
  if (workflow.program !== undefined) return workflow;
  const { count, first, validate } = errorsIn(workflow.diagnostics);
  throw refused("ENGINE_INVALID_WORKFLOW", `\`${name}\` has ${count}: ${first}`, `Run \`waymark validate ${name}\` ${validate}.`);
}

/** Where the project's own workflows are looked for. */
export function searchedFolders({ host }: EngineContext): readonly string[] {
  return host.definitions.folders().filter((folder) => folder.startsWith(`${host.workspace}/`));
}

export function looksLikeFile(name: string): boolean {
  return /\.ya?ml$/i.test(name) || /[\\/]/.test(name);
}

/** The file as if it had been found; one that is in a workflows folder keeps its name and its folder. */
export async function foundFile(definitions: Pick<Definitions, "find">, path: string): Promise<Found> {
  const full = resolve(path);
  const known = (await definitions.find()).find((entry) => resolve(entry.path) === full);
  if (known !== undefined) return known;
  if (!existsSync(full)) throw failure("CLI_FILE", `\`${path}\` does not exist.`);
  const shown = full.replaceAll("\\", "/");
  const name = /([^/]+?)(?:\.workflow)?\.ya?ml$/i.exec(shown)?.[1]?.replaceAll("__", ":") ?? shown;
  try {
    return { name, path: shown, source: "project", text: readFileSync(full, "utf8"), folder: dirname(full).replaceAll("\\", "/") };
  } catch (error) {
    throw failure("CLI_FILE", `\`${path}\` cannot be read: ${(error as Error).message}.`);
  }
}
