/** The words of the bots dialect. Every list here is the one source for the checks, the reader and the documentation. */

/** Where the configuration of a bot is, below its folder; the first that exists counts. */
export const configFiles = ["bot_config.json", "config/bot_config.json"] as const;
export const behaviourFolders = ["behaviors", "behaviours"] as const;
/** The bot's own actions, else those it shares with the bots beside it. */
export const actionFolders = ["base_actions", "../base_actions"] as const;

export const actionFile = "action_config.json";
export const behaviourFile = "behavior.json";
export const triggersFile = "trigger_words.json";
export const settingsFile = "execution_settings.json";
/** Instructions beside a configuration, in the order in which they are put together. */
export const instructionFiles = ["instructions.json", "instructions.md", "instructions.markdown", "instructions.txt"] as const;

export const doneWords = ["person", "relay"] as const;

/** Words of `execution_settings.json` and what they mean. */
export const settingWords: Readonly<Record<string, "manual" | "skip" | "combine">> = {
  manual: "manual",
  skip: "skip",
  combine_next: "combine",
  combine_with_next: "combine",
  combine: "combine",
  auto: "combine",
};

/** Placeholders that are filled when the bot is read; several spellings of one thing are common. */
export const placeholderNames: Readonly<Record<string, string>> = {
  bot: "bot",
  bot_name: "bot",
  behavior: "behavior",
  behavior_name: "behavior",
  behaviour: "behavior",
  behaviour_name: "behavior",
  action: "action",
  action_name: "action",
  next_action: "next_action",
  goal: "goal",
  inputs: "inputs",
  outputs: "outputs",
  description: "description",
};

/** Placeholders that only a run can fill; they stay in the instructions until then. */
export const runPlaceholders = ["project_area", "scope"] as const;

/** The action that chooses the project area by custom; any other says so with `chooses_project_area`. */
export const areaAction = "initialize_project";

export const defaultVersion = "1.0.0";

/** Longest name of a tool that every client accepts. */
export const longestToolName = 60;

export const numberPrefix: RegExp = /^(?:\d+[_-])+(?=.)/;

/** A name without the number that sorts its folder: `1_shape` is `shape`. */
export function plainName(name: string): string {
  return name.replace(numberPrefix, "");
}
