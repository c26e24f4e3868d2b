import { defined, hasType, isObject, nearest, type JsonObject, type Diagnostic } from "../../../base/index.ts";
import { refused, type EngineContext } from "../../../engine/index.ts";
import { sinceOf, wantsChanges } from "./changed/base-of-run.ts";
import { changeBase } from "./changed/change-base.ts";
import { scopeOf } from "./effects/inventory.ts";
import type { ChecklistConfig } from "./checklist-run.ts";
import { refuseVersions } from "./refuse-versions.ts";
import { missingTools, namedTools, presentTools } from "./tools-of-run.ts";
import type { PatternSpec, SourceFile } from "../../../ports/index.ts";

/** Refuses what could never come to anything before it is begun. */
export async function refuseStart(context: EngineContext, { definition }: ChecklistConfig, inputs: JsonObject): Promise<void> {
  refuseUnknownOptions(inputs);
  refuseWrongTypes(inputs);
  refuseIdleFix(definition, inputs);
  await refuseVersions(context, definition, inputs);
  refuseTools(context, definition, inputs);
  await refuseBadPath(context, inputs);
  const options = isObject(inputs["options"]) ? inputs["options"] : {};
  if (wantsChanges(options)) await changeBase({ context, folder: context.host.workspace }, sinceOf(options));
}

/** A tool that is not here finds nothing, which must not look like a clean workspace. */
function refuseTools(context: EngineContext, definition: ChecklistConfig["definition"], { options }: JsonObject): void {
  const { type, tools, patterns } = definition;
  const named = namedTools(isObject(options) ? options : {});
  if (tools === undefined) {
    if (named !== undefined)
      throw refused("ENGINE_WRONG_INPUTS", `\`${type}\` uses no tools. Nothing was started.`, "Leave `options.tools` out.", {});
    return;
  }
  const ids = tools.map(({ id }) => id);
  const present = presentTools(context, tools).map(({ id }) => id);
  const unknown = (named ?? []).filter((id) => !ids.includes(id));
  const absent = (named ?? []).filter((id) => ids.includes(id) && !present.includes(id));
  const quoted = (list: readonly string[]): string => list.map((id) => `\`${id}\``).join(", ");
  const here = present.length === 0 ? "" : `Here are ${quoted(present)}.`;
  if (unknown.length > 0)
    throw refused(
      "ENGINE_WRONG_INPUTS",
      `\`${type}\` has no tool ${quoted(unknown)}. Nothing was started.`,
      `Its tools are ${quoted(ids)}. ${here}`.trim(),
      {},
    );
  if (absent.length > 0 || (present.length === 0 && patterns.patterns.length === 0 && !patterns.fromGuides))
    throw refused(
      "ENGINE_WRONG_INPUTS",
      `${absent.length > 0 ? `${quoted(absent)} ${absent.length === 1 ? "is" : "are"} not in this workspace` : `None of the tools of \`${type}\` is in this workspace`}. Nothing was started.`,
      `${here} A tool is used where these files are: ${missingTools(definition)}. Install one, then start again.`.trim(),
      {},
    );
}

/** Only what is judged can be left as it is: a workflow that converts needs no word for it. */
function refuseIdleFix({ type, patterns, subWorkflows }: ChecklistConfig["definition"], { options }: JsonObject): void {
  const fix = isObject(options) ? options["fix"] : undefined;
  if (fix === undefined || (typeof fix === "boolean" && (patterns.judged === true || subWorkflows.length > 0))) return;
  const why = typeof fix === "boolean" ? `\`${type}\` judges nothing` : "it is true or false";
  const message = `\`options.fix\` has confirmed instances fixed, and ${why}. Nothing was started.`;
  throw refused(
    "ENGINE_WRONG_INPUTS",
    message,
    "Leave `fix` out, or start a workflow with `instances: confirm`, such as codebase-review.",
    {},
  );
}

/** A scope with nothing that could be worked on is refused before anything is begun: no retry could change its path. */
async function refuseBadPath(context: EngineContext, inputs: JsonObject): Promise<void> {
  const scope = scopeOf(context, inputs);
  if (scope.kind === "workspace" || (scope.kind === "paths" && scope.listed === true)) return;
  const isRoot = (path: string): boolean => !path.startsWith("/") && path.split("/").every((name) => name === "" || name === ".");
  const named = scope.kind === "directory" ? [scope.path] : scope.paths;
  const paths = scope.kind === "files" ? named : named.filter((path) => !isRoot(path));
  if (scope.kind !== "files" && paths.length === 0) return;
  // Named one by one, so that nothing is walked: one that is not a regular file may be a folder.
  const { files, problems } = await context.workspace.inventory({
    root: context.host.workspace,
    patterns: ["**/*"],
    exclusions: [],
    scope: { kind: "files", paths },
    priority: [],
    gitignore: false,
  });
  const wrong = problems.filter(({ code }) => code !== "WORKSPACE_FILE_NOT_REGULAR");
  const folder = problems.length > wrong.length;
  if (scope.kind === "paths" ? wrong.length === 0 : scope.kind === "files" ? files.length > 0 : folder) return;
  const said =
    scope.kind === "directory" && files.length > 0
      ? [`\`${scope.path}\` is a file, not a folder.`]
      : (scope.kind === "paths" ? wrong : problems).map(({ message }) => message);
  throw refused(
    "ENGINE_WRONG_INPUTS",
    `${said.slice(0, 3).join(" ")} Nothing was started.`,
    `Start again with a \`path\` inside the workspace ${context.host.workspace}: ${wanted[scope.kind]}.`,
    {},
  );
}

const wanted = {
  files: "files that exist, separated by commas",
  directory: "a folder that exists; a file needs the scope `files`",
  paths: "folders and files that exist, in `paths`",
} as const;

/** Keys that a checklist's start understands inside its two objects; any other is a mistake, not a wish to be ignored. */
const optionKeys: Readonly<Record<string, readonly string[]>> = {
  options: [
    "fix",
    "bc_version",
    "include_patterns",
    "exclude_patterns",
    "max_files",
    "priority_patterns",
    "source_version",
    "target_version",
    "since",
    "changed_lines",
    "paths",
    "listed",
    "tools",
  ],
  initial_processing: ["run_autonomous_phases", "scan_all_patterns", "timeout_ms", "stream_progress"],
};

/** Those that are used before a scan begins, with the types that they have. */
const optionTypes = { since: "string", changed_lines: "boolean", paths: "array", listed: "boolean" } as const;

function refuseWrongTypes({ options }: JsonObject): void {
  for (const [name, type] of Object.entries(optionTypes)) {
    const value = isObject(options) ? options[name] : undefined;
    if (value === undefined || hasType(value, type)) continue;
    const message = `\`options.${name}\` is not of the type ${type}. Nothing was started.`;
    throw refused(
      "ENGINE_WRONG_INPUTS",
      message,
      "Give `since` as a text, `changed_lines` and `listed` as true or false, `paths` as a list of texts.",
      {},
    );
  }
}

function refuseUnknownOptions(inputs: JsonObject): void {
  const wrong = Object.entries(optionKeys).flatMap(([name, known]) => {
    const held = inputs[name];
    return isObject(held)
      ? Object.keys(held)
          .filter((key) => !known.includes(key))
          .map((key) => ({ name, key, near: nearest(key, known)[0] }))
      : [];
  });
  if (wrong.length === 0) return;
  const named = wrong
    .map(({ name, key, near }) => `\`${name}.${key}\`${near === undefined ? "" : ` (did you mean \`${near}\`?)`}`)
    .join(", ");
  throw refused(
    "ENGINE_WRONG_INPUTS",
    `Unknown: ${named}. Nothing was started.`,
    `Known are ${Object.values(optionKeys).flat().join(", ")}.`,
    {},
  );
}

/** What a scan compiles. A condition on content is held to the same limits as a pattern. */
function patternsOf({ definition }: ChecklistConfig): readonly PatternSpec[] {
  const plain = { description: "", contextLines: 0, rules: [], transformations: [] };
  const contents = definition.checklist.flatMap(({ id: name, contentPattern: regex }): readonly PatternSpec[] =>
    regex === undefined ? [] : [{ id: `${ofContent}${name}`, name, regex, ...plain }],
  );
  return [...(definition.patterns.enabled ? (definition.patterns.patterns as unknown as readonly PatternSpec[]) : []), ...contents];
}

const ofContent = "content_pattern of ";

/** Refuses patterns that cannot be used, all of them at once. */
export async function refusePatterns(config: ChecklistConfig): Promise<void> {
  const patterns = patternsOf(config);
  if (patterns.length > 0) (await import("../../../scan/index.ts")).compileRules({ patterns });
}

/** Why patterns of a workflow would be refused when it is started; its program says nothing about that. */
export async function patternProblems(config: ChecklistConfig, files: readonly SourceFile[]): Promise<readonly Diagnostic[]> {
  const patterns = patternsOf(config);
  if (patterns.length === 0) return [];
  const { checkRules, scanCodes } = await import("../../../scan/index.ts");
  return checkRules({ patterns }).map(({ code, message, pattern }): Diagnostic => {
    const place = pattern === undefined ? undefined : placeOf(files, pattern.replace(ofContent, ""));
    return { code, severity: "error", message, ...defined({ fix: scanCodes[code]?.fix, place }) };
  });
}

/** Where the pattern or entry of this id begins. */
function placeOf(files: readonly SourceFile[], id: string): Diagnostic["place"] {
  for (const { path, text } of files)
    for (const [at, line] of text.split("\n").entries()) {
      const [, before, value] = /^(.*?\bid:\s*["']?)([^"',}\s]+)/.exec(line) ?? [];
      if (value === id) return { file: path, line: at + 1, column: (before?.length ?? 0) + 1 };
    }
  return undefined;
}
