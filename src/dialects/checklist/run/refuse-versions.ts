import { isObject, type JsonObject } from "../../../base/index.ts";
import { refused, type EngineContext } from "../../../engine/index.ts";
import { neededOptions, type ChecklistConfig } from "./checklist-run.ts";

/** The first version whose apps are AL alone. */
const oldest = 14;
/** Versions behind the newest guide that an upgrade may go to: their steps have none yet. */
const ahead = 2;
/** Runtime 8 is that of BC19. */
const runtimeOffset = 11;

/** An upgrade needs two versions that exist, in the right order. What is missing is asked for, with what fits. */
export async function refuseVersions(context: EngineContext, definition: ChecklistConfig["definition"], inputs: JsonObject): Promise<void> {
  const { phases, versionUpgrade: upgrade, type } = definition;
  if (!phases.some(({ role }) => role === "guides")) return;
  const options = isObject(inputs["options"]) ? inputs["options"] : {};
  const given = {
    source_version: versionOption(options, "source_version") ?? upgrade?.source,
    target_version: versionOption(options, "target_version") ?? upgrade?.target,
  };
  const newest = await newestGuide(context);
  await refuseWrong(given, newest === undefined ? undefined : newest + ahead);
  const missing = neededOptions(definition).filter((name) => versionOption(options, name) === undefined);
  if (missing.length === 0) return;
  const app = await versionOfApp(context, inputs);
  const source = given.source_version ?? app;
  const asked = {
    ...options,
    source_version: source ?? "<source_version>",
    target_version: given.target_version ?? "<target_version>",
  };
  const facts = [
    ...(app === undefined ? [] : [`app.json is for ${app}`]),
    ...(newest === undefined ? [] : [`there are guides up to BC${newest}`]),
  ].join(", and ");
  const example = JSON.stringify({ source_version: source ?? "BC21", target_version: given.target_version ?? `BC${newest ?? 27}` });
  throw refused(
    "ENGINE_WRONG_INPUTS",
    `An upgrade needs ${missing.map((name) => `\`${name}\``).join(" and ")} in its options. Nothing was started.`,
    `Ask the user from which version of Business Central to which one${facts === "" ? "" : `: ${facts}`}. Then give \`options\` such as ${example}; on the command line: --input 'options=${example}'`,
    {
      question: "From which version of Business Central to which one?",
      missing,
      ...(app === undefined ? {} : { app_version: app }),
      ...(newest === undefined ? {} : { guides_up_to: `BC${newest}` }),
      later: {
        when: "when the user has said which versions",
        tool: "workflow_start",
        arguments: { workflow: type, inputs: { ...inputs, options: asked } },
      },
    },
  );
}

/** A version as it was given, as text or as a number. */
export function versionOption(options: JsonObject, name: string): string | undefined {
  const value = options[name];
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

async function refuseWrong(given: Readonly<Record<string, string | undefined>>, latest: number | undefined): Promise<void> {
  const { parseVersion } = await import("../../../knowledge/index.ts");
  const numbers = new Map<string, number>();
  const problems: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const version = parseVersion(value);
    if (version === undefined) problems.push(`\`${value}\` as \`${name}\` is not a version`);
    else if (version < oldest || version > (latest ?? version))
      problems.push(`\`${value}\` as \`${name}\` is not a version that Waymark knows`);
    else numbers.set(name, version);
  }
  const [source, target] = [numbers.get("source_version"), numbers.get("target_version")];
  if (source !== undefined && target !== undefined && target <= source)
    problems.push(`\`target_version\` BC${target} is not above \`source_version\` BC${source}`);
  if (problems.length === 0) return;
  throw refused(
    "ENGINE_WRONG_INPUTS",
    `${problems.join("; ")}. Nothing was started.`,
    `Versions are written BC24, 24 or 24.0, from BC${oldest}${latest === undefined ? "" : ` to BC${latest}`} on, and the target is above the source.`,
    {},
  );
}

/** undefined without any guide. */
async function newestGuide({ knowledge }: EngineContext): Promise<number | undefined> {
  const targets = (await knowledge.topics()).flatMap(({ guide }) => guide?.target ?? []);
  return targets.length === 0 ? undefined : Math.max(...targets);
}

/** What the app.json of the folder that is worked on is for. */
async function versionOfApp({ workspace, host }: EngineContext, { scope, path }: JsonObject): Promise<string | undefined> {
  const { appRuntime } = await import("../../../scan/index.ts");
  const below = scope === "directory" && typeof path === "string" ? [`${path.replace(/\/+$/, "")}/app.json`] : [];
  for (const name of [...below, "app.json"]) {
    const read = await workspace.readText(host.workspace, name);
    const runtime = read === undefined ? undefined : appRuntime(read.text);
    if (runtime !== undefined) return `BC${Math.floor(runtime) + runtimeOffset}`;
  }
  return undefined;
}
