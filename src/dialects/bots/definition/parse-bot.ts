import { defined, type Diagnostic, type Json, type JsonObject } from "../../../base/index.ts";
import {
  child,
  formatDocumentPath,
  didYouMean,
  readRouting,
  sortDiagnostics,
  textAt,
  type SourceFile,
  type WorkflowInfo,
  type WorkflowReference,
} from "../../../source/index.ts";
import { botToolNames } from "./bot-tool-names.ts";
import { checkKeys, botShape } from "./config-keys.ts";
import type { BotDefinition } from "./bot-definition.ts";
import { openPath, openReading, type BotReading, type KeptKey } from "./read/bot-reading.ts";
import { checkedName } from "./read/read-actions.ts";
import { readDefinition } from "./read/read-definition.ts";
import { configFiles, defaultVersion } from "./vocabulary.ts";

/** The files of a bot as they were read; nothing of them is parsed yet. */
export interface BotFiles {
  /** The bot's folder, as problems shall show it. */
  readonly root: string;
  /** Paths are relative to the bot's folder; `../base_actions/...` and `.../execution_settings.json` may be outside of it. */
  readonly files: readonly SourceFile[];
  readonly source: WorkflowInfo["source"];
}

export interface ParsedBot {
  /** Absent when there is at least one error. */
  readonly definition?: BotDefinition;
  readonly info: WorkflowInfo;
  /** Workflows that actions run in their place; also those of a bot with errors, as far as they could be read. */
  readonly calls: readonly WorkflowReference[];
  /** All problems of all files: those of `bot_config.json` first. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads, checks and completes a bot. Never throws for what the files hold. */
export function parseBot({ root, files, source }: BotFiles): ParsedBot {
  const reading = openReading(root, files);
  const path = configPath(reading);
  const config = reading.json(path);
  const usable = config !== undefined && checkKeys(reading, config, botShape, `\`${path}\``) ? config : undefined;
  const folder = /([^\\/]*)[\\/]*$/.exec(root)?.[1] ?? "";
  const name = usable === undefined ? folder : checkedName(reading, child(usable, "name"), "a bot", folder);
  const definition = usable && readDefinition(reading, usable, name);
  complainOfKept(reading);
  const kept: Record<string, Record<string, Json>> = {};
  for (const { node } of reading.keptKeys) (kept[reading.pathOf(node)] ??= {})[formatDocumentPath(node.path)] = node.value;
  const whole = definition && { ...definition, kept };
  const actions = whole === undefined ? [] : [...whole.behaviours.flatMap((behaviour) => behaviour.actions), ...whole.independent];
  if (whole !== undefined) complainOfTools(reading, whole, path);
  const diagnostics = sortDiagnostics(reading.found, openPath(root, path));
  const problems = diagnostics.filter((each) => each.severity === "error").length;
  const sound = problems === 0 ? whole : undefined;
  const info: WorkflowInfo = {
    name,
    description: textAt(usable, "description") ?? "",
    routing: readRouting(usable),
    version: textAt(usable, "version") ?? defaultVersion,
    inputs: {},
    source,
    path: openPath(root, path),
    imports: [],
    includes: [...new Set(actions.flatMap(({ calls }) => calls ?? []))],
    definition: (sound ?? usable?.value ?? {}) as unknown as JsonObject,
    problems,
  };
  const calls = [...new Map(reading.calls.map((call) => [JSON.stringify([call.name, call.place]), call])).values()];
  return { info, calls, diagnostics, ...defined({ definition: sound }) };
}

function configPath(reading: BotReading): string {
  const [first, ...more] = configFiles.filter((path) => reading.files.has(path));
  if (first === undefined)
    reading.complain(reading.place(configFiles[0]), {
      code: "BOTS_NO_CONFIG",
      message: `The bot has no \`${configFiles[0]}\`, neither in its folder nor in \`config\` below it.`,
      fix: `Add \`${configFiles[0]}\` with \`name\` and \`behaviors\`.`,
    });
  for (const path of more)
    reading.warn(reading.place(path), {
      code: "BOTS_WITHOUT_EFFECT",
      message: `\`${path}\` has no effect: \`${first ?? ""}\` counts.`,
      fix: "Remove one of the two files.",
    });
  return first ?? configFiles[0];
}

/** A key that is in many files is reported once, at the first of them. */
function complainOfKept(reading: BotReading): void {
  const byKey = new Map<string, KeptKey[]>();
  for (const kept of reading.keptKeys) {
    const same = byKey.get(kept.key);
    if (same === undefined) byKey.set(kept.key, [kept]);
    else if (same.every(({ node }) => node.file !== kept.node.file)) same.push(kept);
  }
  for (const [key, [first, ...others]] of byKey) {
    if (first === undefined) continue;
    const files = others.map(({ node }) => `\`${reading.pathOf(node)}\``);
    const more = files.length === 0 ? "" : ` It is also in ${files.length === 1 ? files.join("") : `${files.length} other files`}.`;
    const close = first.foreign ? undefined : didYouMean(key, first.known);
    reading.complain(first.node, {
      code: first.foreign ? "BOTS_FOREIGN_KEY" : "BOTS_UNKNOWN_KEY",
      severity: "warning",
      message: `\`${key}\` ${first.foreign ? "is a key of another engine; it" : "has no meaning here; it"} is kept, and nothing is done with it.${more}`,
      fix: close ?? "Remove the key, or leave it for others.",
      at: "key",
    });
  }
}

/** Two tools cannot have one name. */
function complainOfTools(reading: BotReading, definition: BotDefinition, path: string): void {
  for (const { name, tools } of botToolNames(definition).collisions) {
    const meanings = tools.map(({ behaviour, action }) => [behaviour, action].filter((part) => part !== undefined).join(" and "));
    const node = child(reading.json(path), "behaviors") ?? reading.json(path);
    reading.complain(node?.file.placeOf(node.path, "value") ?? reading.place(path), {
      code: "BOTS_TOOL_CLASH",
      message: `Two tools would be called \`${name}\`: for ${meanings.map((each) => (each === "" ? "the bot" : each)).join(", and for ")}.`,
      fix: "Rename a behaviour or an action.",
    });
  }
}
