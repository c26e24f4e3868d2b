import type { ActionDefinition, BehaviourDefinition } from "../bot-definition.ts";
import type { BotReading } from "./bot-reading.ts";
import type { FoundSetting, Settings } from "./read-settings.ts";

/**
 * Puts settings into effect. A behaviour that is combined with the next one is so by its last action: that one continues with the first
 * action of the next behaviour. What cannot have an effect is reported, and counts as not said.
 */
export function applySettings(reading: BotReading, settings: Settings, behaviours: readonly BehaviourDefinition[]): BehaviourDefinition[] {
  const ignore = ignorer(reading);
  const entered = behaviours.filter(({ name }) => settings.behaviour(name)?.setting !== "skip").map(({ name }) => name);
  return behaviours.map((behaviour) => {
    const { name } = behaviour;
    const own = settings.behaviour(name);
    const actions = behaviour.actions.map((action) => ({ ...action, setting: settings.action(name, action.name)?.setting ?? "manual" }));
    const last = actions.findLast((action) => action.setting !== "skip");
    const wish = last === undefined ? undefined : settings.action(name, last.name);
    const combines = own?.setting === "combine" && isCombinable(ignore, own, { name, entered, last: wish });
    if (!combines && wish?.setting === "combine")
      ignore(
        wish,
        `no action of \`${name}\` follows, so a person says that this one is done`,
        `To continue with the next behaviour, set \`${bordered(wish.key, name)}\` to \`combine_with_next\`.`,
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

type Ignore = (found: FoundSetting, why: string, fix: string) => void;

function ignorer(reading: BotReading): Ignore {
  return ({ node, key }, why, fix) =>
    reading.complain(node, {
      code: "BOTS_WITHOUT_EFFECT",
      severity: "warning",
      message: `The setting \`${key}\` has no effect: ${why}.`,
      fix,
      at: "key",
    });
}

interface Border {
  readonly name: string;
  /** Behaviours that are not skipped, in order. */
  readonly entered: readonly string[];
  /** What is said of its last action. */
  readonly last: FoundSetting | undefined;
}

function isCombinable(ignore: Ignore, own: FoundSetting, { name, entered, last }: Border): boolean {
  if (entered.at(-1) === name) ignore(own, "no behaviour follows", "Remove it.");
  else if (last?.setting === "manual") ignore(own, `\`${last.key}\` wants a person's word for its last action`, "Remove one of the two.");
  else return true;
  return false;
}

/** The key for a behaviour, from one for an action of it. */
function bordered(key: string, behaviour: string): string {
  return `${key.slice(0, key.indexOf("."))}._behavior.${behaviour}`;
}

/** Independent actions are called by themselves, so there is nothing to pass over or to continue with. */
export function tellIndependent(reading: BotReading, settings: Settings, behaviour: string, names: readonly string[]): void {
  for (const name of names) {
    const found = settings.action(behaviour, name);
    if (found !== undefined && found.setting !== "manual")
      ignorer(reading)(found, `\`${name}\` is independent and in no sequence`, "Remove it.");
  }
}
