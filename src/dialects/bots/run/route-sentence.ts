import { isList, shorten } from "../../../base/index.ts";
import type { BotPlace } from "../views/index.ts";
import type { BotDefinition, TriggerDefinition } from "../definition/index.ts";
import { refused, type EngineContext } from "../../../engine/index.ts";

/** Where a sentence leads: to a behaviour, or to one action of it. */
type RoutedPlace = Pick<BotPlace, "behaviour"> & Partial<BotPlace>;

interface Sign {
  readonly place: RoutedPlace;
  readonly trigger: TriggerDefinition;
}

/** More of a sentence than this says nothing about where to go. */
const longest = 2_000;

/** Patterns come from the author of the bot, so they are tried where they can be stopped. -1: it does not match. */
const lengths = `return patterns.map((all) => Math.max(...all.map((pattern) => {
  try { return new RegExp(pattern, "i").exec(sentence)?.[0].length ?? -1; } catch { return -1; }
})));`;

/**
 * Where the trigger words that match a sentence lead. The higher priority wins; then what matches more of the sentence; then the
 * behaviour that the bot is in; then the order of the bot. `within`: only that behaviour is meant.
 */
export async function routeSentence(
  context: EngineContext,
  definition: BotDefinition,
  sentence: string,
  { within, current }: { readonly within?: string; readonly current?: BotPlace } = {},
): Promise<RoutedPlace> {
  const home = within ?? current?.behaviour ?? definition.behaviours[0]?.name ?? "";
  const signs = signsOf(definition, home).filter(({ place }) => within === undefined || place.behaviour === within);
  const found = await matched(context, definition, signs, sentence.slice(0, longest));
  const best = signs
    .map(({ place, trigger }, at) => ({ place, at, priority: trigger.priority, length: found[at] ?? -1 }))
    .filter(({ length }) => length >= 0)
    .sort((a, b) => b.priority - a.priority || b.length - a.length || away(a.place, home) - away(b.place, home) || a.at - b.at)[0];
  if (best !== undefined) return best.place;
  const where = within === undefined ? `\`${definition.name}\`` : `\`${within}\` of \`${definition.name}\``;
  throw refused(
    "ENGINE_NO_BOT_PLACE",
    `No trigger word of ${where} is in \`${shorten(sentence, 80, "…")}\`. Nothing was changed.`,
    `Leave the sentence out to continue where the bot is, or name a behaviour: ${definition.behaviours.map(({ name }) => name).join(", ")}.`,
  );
}

/** What a setting skips is not a place to go to. */
function signsOf({ behaviours, independent }: BotDefinition, home: string): readonly Sign[] {
  const entered = behaviours.filter(({ setting }) => setting !== "skip");
  return [
    ...entered.flatMap(({ name, triggers, actions }) => [
      ...triggers.map((trigger): Sign => ({ place: { behaviour: name }, trigger })),
      ...actions
        .filter(({ setting }) => setting !== "skip")
        .flatMap((action) => action.triggers.map((trigger): Sign => ({ place: { behaviour: name, action: action.name }, trigger }))),
    ]),
    ...independent.flatMap((action) =>
      action.triggers.map((trigger): Sign => ({ place: { behaviour: home, action: action.name }, trigger })),
    ),
  ];
}

function away({ behaviour }: RoutedPlace, home: string): number {
  return behaviour === home ? 0 : 1;
}

/** How much of the sentence each of them matches. */
async function matched(
  { sandbox }: EngineContext,
  { name }: BotDefinition,
  signs: readonly Sign[],
  sentence: string,
): Promise<readonly number[]> {
  if (signs.length === 0) return [];
  const patterns = signs.map(({ trigger }) => [...trigger.patterns]);
  const result = await sandbox.evaluate({ space: `bot:${name}`, code: lengths, bindings: { patterns, sentence } });
  if (result.ok) return isList(result.value) ? result.value.map(Number) : [];
  throw refused(
    "ENGINE_NO_BOT_PLACE",
    `The trigger words of \`${name}\` could not be compared with the sentence: ${result.message} Nothing was changed.`,
    "Name the behaviour or the action itself, and fix the trigger word: a repetition inside a repetition takes very long.",
  );
}
