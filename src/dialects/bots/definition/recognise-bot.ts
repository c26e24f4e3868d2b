import { posixPath } from "./read/bot-paths.ts";

/**
 * The folder of the bot that a file is the configuration of; undefined when it is not such a file. `bot_config.json` is in the
 * bot's folder or in `config` below it, so no bot can itself be called `config`.
 */
export function recogniseBot(path: string): string | undefined {
  const found = /^(?:(.*)\/)?bot_config\.json$/.exec(posixPath(path));
  if (found === null) return undefined;
  const folder = (found[1] ?? "").replace(/(?:^|\/)config$/, "");
  return folder === "" ? (path.startsWith("/") ? "/" : ".") : folder;
}
