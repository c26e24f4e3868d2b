import { isObject, nearest, type JsonObject } from "../../../base/index.ts";
import { refused, type EngineContext } from "../../../engine/index.ts";
import { scopeOf } from "./effects/inventory.ts";
import { textList, type ChecklistConfig } from "./checklist-run.ts";

/** Refuses what could never come to anything before it is begun. */
export async function refuseStart(context: EngineContext, { definition }: ChecklistConfig, inputs: JsonObject): Promise<void> {
  refuseUnknownOptions(inputs);
  refuseWithoutVersions(definition, inputs);
  await refuseBadPath(context, inputs);
}

/** A workflow that looks for guides needs to know between which versions. */
function refuseWithoutVersions({ phases, versionUpgrade: upgrade }: ChecklistConfig["definition"], { options }: JsonObject): void {
  if (!phases.some(({ role }) => role === "guides")) return;
  const held = isObject(options) ? options : {};
  const missing = [
    ...((textList(held["source_version"])[0] ?? upgrade?.source) === undefined ? ["source_version"] : []),
    ...((textList(held["target_version"])[0] ?? upgrade?.target) === undefined ? ["target_version"] : []),
  ].map((name) => `\`${name}\``);
  if (missing.length > 0)
    throw refused(
      "ENGINE_WRONG_INPUTS",
      `An upgrade needs ${missing.join(" and ")} in its options. Nothing was started.`,
      'Start again with the versions, for example options {"source_version": "BC21", "target_version": "BC27"}.',
      {},
    );
}

/** A scope with nothing that could be worked on is refused before anything is begun: no retry could change its path. */
async function refuseBadPath(context: EngineContext, inputs: JsonObject): Promise<void> {
  const scope = scopeOf(context, inputs);
  if (scope.kind === "workspace") return;
  const paths = scope.kind === "files" ? scope.paths : [scope.path];
  const isRoot = (path: string): boolean => !path.startsWith("/") && path.split("/").every((name) => name === "" || name === ".");
  if (scope.kind === "directory" && paths.every(isRoot)) return;
  // Named one by one, so that nothing is walked: one that is not a regular file may be a folder.
  const { files, problems } = await context.workspace.inventory({
    root: context.host.workspace,
    patterns: ["**/*"],
    exclusions: [],
    scope: { kind: "files", paths },
    priority: [],
    gitignore: false,
  });
  const folder = problems.some(({ code }) => code === "WORKSPACE_FILE_NOT_REGULAR");
  if (scope.kind === "files" ? files.length > 0 : folder) return;
  const said =
    scope.kind === "directory" && files.length > 0
      ? [`\`${scope.path}\` is a file, not a folder.`]
      : problems.map(({ message }) => message);
  throw refused(
    "ENGINE_WRONG_INPUTS",
    `${said.slice(0, 3).join(" ")} Nothing was started.`,
    `Start again with a \`path\` inside the workspace ${context.host.workspace}: ${scope.kind === "files" ? "files that exist, separated by commas" : "a folder that exists; a file needs the scope `files`"}.`,
    {},
  );
}

/** Keys that a checklist's start understands inside its two objects; any other is a mistake, not a wish to be ignored. */
const optionKeys: Readonly<Record<string, readonly string[]>> = {
  options: ["bc_version", "include_patterns", "exclude_patterns", "max_files", "priority_patterns", "source_version", "target_version"],
  initial_processing: ["run_autonomous_phases", "scan_all_patterns", "timeout_ms", "stream_progress"],
};

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
  const told = wrong
    .map(({ name, key, near }) => `\`${name}.${key}\`${near === undefined ? "" : ` (did you mean \`${near}\`?)`}`)
    .join(", ");
  throw refused(
    "ENGINE_WRONG_INPUTS",
    `Unknown: ${told}. Nothing was started.`,
    `Known are ${Object.values(optionKeys).flat().join(", ")}.`,
    {},
  );
}
