import { defined, isObject, own } from "../../../../base/index.ts";
import { didYouMean, entriesOf, quoteList, suggest, type SourceNode } from "../../../../source/index.ts";
import { checkKeys } from "../config-keys.ts";
import type { BehaviourDefinition, ActionDefinition } from "../bot-definition.ts";
import { plainName, settingsFile, settingWords } from "../vocabulary.ts";
import { findAction } from "./read-actions.ts";
import type { BotReading } from "./bot-reading.ts";

type Setting = BehaviourDefinition["setting"];

/** Behaviours and actions that settings can be for. */
interface Settable {
  readonly name: string;
  readonly actions: readonly { readonly name: string; readonly folder: string }[];
}

/** A setting and its place, for problems that follow from it. */
interface FoundSetting {
  readonly setting: Setting;
  readonly key: string;
  readonly node: SourceNode;
}

/** undefined where nothing is said, which means `manual`. */
interface Settings {
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
      const target = targetOf(reading, bot, [key, value], behaviours);
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
    ...defined({ node: last }),
  };
}

function isOutside(path: string): boolean {
  return path.startsWith("../") && path.endsWith(`/${settingsFile}`);
}

/** What a key means, with plain names; undefined for other bots and for what does not exist. */
function targetOf(
  reading: BotReading,
  bot: string,
  [key, value]: [string, SourceNode],
  behaviours: readonly Settable[],
): string | undefined {
  const [first = "", second = "", ...rest] = key.split(".");
  if (first !== bot) return complainOfBot(reading, bot, [key, value]);
  const third = rest.join(".");
  const name = plainName(second === "_behavior" ? third : second);
  const behaviour = behaviours.find((each) => each.name === name);
  const action = behaviour === undefined || second === "_behavior" ? undefined : findAction(behaviour.actions, third);
  if (behaviour !== undefined && second === "_behavior") return `_behavior.${behaviour.name}`;
  if (behaviour !== undefined && action !== undefined) return `${behaviour.name}.${action.name}`;
  const known = behaviour === undefined ? behaviours.map((each) => each.name) : behaviour.actions.map((each) => each.name);
  const fix = suggest(behaviour === undefined ? name : third, known) ?? `Write \`${bot}.<behaviour>.<action>\`.`;
  const message = `The setting \`${key}\` is for ${behaviour === undefined ? `a behaviour \`${name}\`` : `an action \`${third}\``} that does not exist.`;
  reading.warn(value, { code: "BOTS_UNKNOWN_SETTING", message, fix, at: "key" });
  return undefined;
}

/** A setting of another bot is none of this one's business, unless no bot can be meant, or this one probably is. */
function complainOfBot(reading: BotReading, bot: string, [key, value]: [string, SourceNode]): undefined {
  const [first = "", ...rest] = key.split(".");
  const [message, fix] =
    rest.length < 2
      ? [`The setting \`${key}\` does not name an action.`, `Write \`${bot}.<behaviour>.<action>\` or \`${bot}._behavior.<behaviour>\`.`]
      : [`The setting \`${key}\` is for a bot \`${first}\`, not for \`${bot}\`.`, didYouMean(first, [bot])];
  if (fix !== undefined) reading.warn(value, { code: "BOTS_UNKNOWN_SETTING", message, fix, at: "key" });
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

/**
 * Puts settings into effect. A behaviour that is combined with the next one is so by its last action: that one continues with the first
 * action of the next behaviour. What cannot have an effect is reported, and counts as not said.
 */
export function applySettings(reading: BotReading, settings: Settings, behaviours: readonly BehaviourDefinition[]): BehaviourDefinition[] {
  const entered = behaviours.filter(({ name }) => settings.behaviour(name)?.setting !== "skip").map(({ name }) => name);
  return behaviours.map((behaviour) => {
    const { name } = behaviour;
    const own = settings.behaviour(name);
    const actions = behaviour.actions.map((action) => ({ ...action, setting: settings.action(name, action.name)?.setting ?? "manual" }));
    const last = actions.findLast((action) => action.setting !== "skip");
    const wish = last === undefined ? undefined : settings.action(name, last.name);
    const wants = own?.setting === "combine" ? own : undefined;
    const combines = wants !== undefined && entered.at(-1) !== name && wish?.setting !== "manual";
    if (wants !== undefined && entered.at(-1) === name) ignore(reading, wants, "no behaviour follows", "Remove it.");
    else if (wants !== undefined && wish?.setting === "manual")
      ignore(reading, wants, `\`${wish.key}\` wants a person's word for its last action`, "Remove one of the two.");
    if (!combines && wish?.setting === "combine")
      ignore(
        reading,
        wish,
        `no action of \`${name}\` follows, so a person says that this one is done`,
        `To continue with the next behaviour, set \`${wish.key.slice(0, wish.key.indexOf("."))}._behavior.${name}\` to \`combine_with_next\`.`,
      );
    return {
      ...behaviour,
      setting: own?.setting === "skip" ? "skip" : combines ? "combine" : "manual",
      actions: actions.map((action): ActionDefinition =>
        action.name === last?.name ? { ...action, setting: combines ? "combine" : "manual" } : action,
      ),
    };
  });
}

function ignore(reading: BotReading, { node, key }: FoundSetting, why: string, fix: string): void {
  reading.warn(node, { code: "BOTS_WITHOUT_EFFECT", message: `The setting \`${key}\` has no effect: ${why}.`, fix, at: "key" });
}

/** Independent actions are called by themselves, so there is nothing to pass over or to continue with. */
export function tellIndependent(
  reading: BotReading,
  settings: Settings,
  behaviour: string,
  actions: readonly { readonly name: string }[],
): void {
  for (const { name } of actions) {
    const found = settings.action(behaviour, name);
    if (found !== undefined && found.setting !== "manual")
      ignore(reading, found, `\`${name}\` is independent and in no sequence`, "Remove it.");
  }
}
