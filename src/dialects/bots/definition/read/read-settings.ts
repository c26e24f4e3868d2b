import { isObject, nearest, own } from "../../../../base/index.ts";
import { entriesOf, quoteList, suggest, type SourceNode } from "../../../../source/index.ts";
import { checkKeys } from "../check/check-keys.ts";
import type { BehaviourDefinition } from "../bot-definition.ts";
import { plainName, settingsFile, settingWords } from "../vocabulary.ts";
import { findAction } from "./action-source.ts";
import type { BotReading } from "./bot-reading.ts";

export type Setting = "manual" | "skip" | "combine";

/** Behaviours and actions that settings can be for. */
export interface Settable {
  readonly name: string;
  readonly actions: readonly { readonly name: string; readonly folder: string }[];
}

/** A setting and its place, for problems that follow from it. */
export interface FoundSetting {
  readonly setting: Setting;
  readonly key: string;
  readonly node: SourceNode;
}

/** undefined where nothing is said, which means `manual`. */
export interface Settings {
  behaviour(name: string): FoundSetting | undefined;
  action(behaviour: string, action: string): FoundSetting | undefined;
  /** The last file with settings for this bot. */
  readonly node?: SourceNode;
}

/**
 * Settings for this bot: `<bot>.<behaviour>.<action>` and `<bot>._behavior.<behaviour>`. Those of other bots are none of its
 * business. A file outside of the bot's folder belongs to the workspace and wins.
 */
export function readSettings(reading: BotReading, bot: string, behaviours: readonly Settable[]): Settings {
  const paths = [...reading.files.keys()].filter((path) => path === settingsFile || path === `config/${settingsFile}` || isOutside(path));
  const found = new Map<string, FoundSetting>();
  let last: SourceNode | undefined;
  for (const path of paths.sort((a, b) => Number(isOutside(a)) - Number(isOutside(b)))) {
    const node = reading.json(path);
    if (node === undefined) continue;
    if (!isObject(node.value)) checkKeys(reading, node, {}, `\`${path}\``);
    for (const [key, value] of entriesOf(node)) {
      const target = targetOf(reading, { bot, key, value }, behaviours);
      const setting = target === undefined ? undefined : settingOf(reading, key, value);
      if (target !== undefined && setting !== undefined) {
        found.set(target, { setting, key, node: value });
        last = node;
      }
    }
  }
  return {
    behaviour: (name) => found.get(`_behavior.${name}`),
    action: (behaviour, action) => found.get(`${behaviour}.${action}`),
    ...(last === undefined ? {} : { node: last }),
  };
}

function isOutside(path: string): boolean {
  return path.startsWith("../") && path.endsWith(`/${settingsFile}`);
}

interface Written {
  readonly bot: string;
  readonly key: string;
  readonly value: SourceNode;
}

/** What a key means, with plain names; undefined for other bots and for what does not exist. */
function targetOf(reading: BotReading, { bot, key, value }: Written, behaviours: readonly Settable[]): string | undefined {
  const [first = "", second = "", ...rest] = key.split(".");
  if (first !== bot) return complainOfBot(reading, { bot, key, value });
  const third = rest.join(".");
  const name = plainName(second === "_behavior" ? third : second);
  const behaviour = behaviours.find((each) => each.name === name);
  const action = behaviour === undefined || second === "_behavior" ? undefined : findAction(behaviour.actions, third);
  if (behaviour !== undefined && second === "_behavior") return `_behavior.${behaviour.name}`;
  if (behaviour !== undefined && action !== undefined) return `${behaviour.name}.${action.name}`;
  const known = behaviour === undefined ? behaviours.map((each) => each.name) : behaviour.actions.map((each) => each.name);
  const fix = suggest(behaviour === undefined ? name : third, known) ?? `Write \`${bot}.<behaviour>.<action>\`.`;
  const message = `The setting \`${key}\` is for ${behaviour === undefined ? `a behaviour \`${name}\`` : `an action \`${third}\``} that does not exist.`;
  reading.complain(value, { code: "BOTS_UNKNOWN_SETTING", severity: "warning", message, fix, at: "key" });
  return undefined;
}

/** A setting of another bot is none of this one's business, unless no bot can be meant, or this one probably is. */
function complainOfBot(reading: BotReading, { bot, key, value }: Written): undefined {
  const [first = "", ...rest] = key.split(".");
  const close = nearest(first, [bot]).length > 0;
  if (rest.length >= 2 && !close) return;
  const message =
    rest.length >= 2
      ? `The setting \`${key}\` is for a bot \`${first}\`, not for \`${bot}\`.`
      : `The setting \`${key}\` does not name an action.`;
  const fix = rest.length >= 2 ? `Did you mean \`${bot}\`?` : `Write \`${bot}.<behaviour>.<action>\` or \`${bot}._behavior.<behaviour>\`.`;
  reading.complain(value, { code: "BOTS_UNKNOWN_SETTING", severity: "warning", message, fix, at: "key" });
}

function settingOf(reading: BotReading, key: string, value: SourceNode): Setting | undefined {
  const setting = typeof value.value === "string" ? own(settingWords, value.value) : undefined;
  if (setting === undefined)
    reading.complain(value, {
      code: "BOTS_BAD_VALUE",
      message: `The setting \`${key}\` is \`${JSON.stringify(value.value)}\`, which is not a known word.`,
      fix: `Use ${quoteList(Object.keys(settingWords), "or")}.`,
    });
  return setting;
}

/** A behaviour that is entered must leave something to do, and a bot must have a behaviour left. */
export function checkSkipped(reading: BotReading, settings: Settings, behaviours: readonly BehaviourDefinition[]): void {
  const { node } = settings;
  if (node === undefined) return;
  for (const { name, setting, actions } of behaviours) {
    if (setting === "skip" || actions.length === 0 || !actions.every((action) => action.setting === "skip")) continue;
    reading.complain(node, {
      code: "BOTS_ALL_SKIPPED",
      message: `All actions of the behaviour \`${name}\` are skipped by settings: ${quoteList(
        actions.map((action) => action.name),
        "and",
      )}.`,
      fix: `Leave one of them, or skip the behaviour as a whole with \`_behavior.${name}\`.`,
    });
  }
  if (behaviours.length > 0 && behaviours.every(({ setting }) => setting === "skip"))
    reading.complain(node, {
      code: "BOTS_ALL_SKIPPED",
      message: "All behaviours of the bot are skipped by settings.",
      fix: "Leave at least one of them.",
    });
}
