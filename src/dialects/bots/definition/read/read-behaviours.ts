import { defined } from "../../../../base/index.ts";
import { child, didYouMean, listedTexts, numberAt, quoteList, type SourceNode } from "../../../../source/index.ts";
import { checkKeys, behaviourShape } from "../config-keys.ts";
import { behaviourFile, behaviourFolders, numberPrefix, plainName } from "../vocabulary.ts";
import { foldersBelow, type BotReading } from "./bot-reading.ts";
import { checkedName } from "./read-actions.ts";

/** A behaviour as its files describe it. */
export interface BehaviourSource {
  readonly name: string;
  /** Its folder below the bot's folder, when it has one. */
  readonly folder?: string;
  /** Its `behavior.json`. */
  readonly node?: SourceNode;
}

interface Folder {
  readonly path: string;
  readonly plain: string;
  /** Name in its `behavior.json`. */
  readonly named: string;
  readonly node?: SourceNode;
}

/** The behaviours in their order. Folders are found by their whole name without its number, never by a part of it. */
export function readBehaviours(reading: BotReading, config: SourceNode): BehaviourSource[] {
  const folders = readFolders(reading);
  const list = child(config, "behaviors");
  if (list === undefined) return fromFolders(reading, config, folders);
  const named = listedNames(reading, config);
  const listed = named.map(({ name }) => name);
  const unlisted = folders.flatMap(({ plain, named: own }) => (listed.includes(plain) || listed.includes(own) ? [] : plain));
  const taken = new Set<Folder>();
  const behaviours = named.map(({ name, node }) => {
    const folder = folders.find((each) => each.plain === name) ?? folders.find((each) => each.named === name);
    if (folder !== undefined) taken.add(folder);
    else if (folders.length > 0)
      reading.warn(node, {
        code: "BOTS_NO_BEHAVIOUR_FOLDER",
        message: `The behaviour \`${name}\` has no folder with files that are read below \`behaviors/\`, so it has the common actions and no instructions of its own.`,
        fix: didYouMean(name, unlisted) ?? `Add \`behaviors/${name}/instructions.md\`, or correct the name.`,
      });
    return sourceOf(name, folder);
  });
  if (named.length === 0)
    reading.complain(list, {
      code: "BOTS_NO_BEHAVIOURS",
      message: "The bot has no behaviours.",
      fix: "List at least one name under `behaviors`.",
    });
  for (const { path, plain } of folders.filter((folder) => !taken.has(folder))) {
    const close = didYouMean(plain, listed);
    const add = "Add it to `behaviors` in `bot_config.json`, remove it, or let its name begin with `_`.";
    reading.complain(reading.place(path), {
      code: "BOTS_UNKNOWN_BEHAVIOUR",
      message: `The folder \`${path}\` is not a behaviour of the bot: \`${plain}\` is not listed under \`behaviors\`.`,
      fix: close === undefined ? add : `${close} Rename the folder, or add it to \`behaviors\`.`,
    });
  }
  return inOrder(reading, list, behaviours);
}

function sourceOf(name: string, folder: Folder | undefined): BehaviourSource {
  return { name, ...defined({ folder: folder?.path, node: folder?.node }) };
}

function readFolders(reading: BotReading): Folder[] {
  const found: Folder[] = [];
  for (const parent of behaviourFolders) {
    for (const name of foldersBelow(reading.files, parent)) {
      const path = `${parent}/${name}`;
      const plain = plainName(name);
      const node = reading.json(`${path}/${behaviourFile}`);
      const usable = node !== undefined && checkKeys(reading, node, behaviourShape, `\`${path}/${behaviourFile}\``) ? node : undefined;
      const folder = { path, plain, named: nameIn(reading, usable, plain), ...defined({ node: usable }) };
      const other = found.find((each) => each.plain === plain);
      if (other === undefined) found.push(folder);
      else
        reading.complain(reading.place(path), {
          code: "BOTS_DUPLICATE_NAME",
          message: `\`${other.path}\` and \`${path}\` are both the folder of the behaviour \`${plain}\`.`,
          fix: "Remove or rename one of them.",
        });
    }
  }
  return found;
}

function nameIn(reading: BotReading, node: SourceNode | undefined, plain: string): string {
  const written = child(node, "behaviorName");
  const name = checkedName(reading, written, "a behaviour", plain);
  if (written !== undefined && name !== plain) {
    reading.warn(written, {
      code: "BOTS_FOLDER_DIFFERS",
      message: `The behaviour is called \`${name}\`, but its folder \`${plain}\`. Both names lead to it.`,
      fix: "Make both names equal.",
    });
  }
  return name;
}

function listedNames(reading: BotReading, config: SourceNode): { name: string; node: SourceNode }[] {
  const named: { name: string; node: SourceNode }[] = [];
  for (const node of listedTexts(config, "behaviors")) {
    const name = checkedName(reading, node, "a behaviour", "");
    if (named.every((each) => each.name !== name)) named.push({ name, node });
    else
      reading.complain(node, {
        code: "BOTS_DUPLICATE_NAME",
        message: `The behaviour \`${name}\` is listed twice.`,
        fix: "Remove one of the two.",
      });
  }
  return named;
}

/** Without a list the folders are the behaviours: by `order`, then by number, then by name. */
function fromFolders(reading: BotReading, config: SourceNode, folders: readonly Folder[]): BehaviourSource[] {
  if (folders.length === 0)
    reading.complain(config, {
      code: "BOTS_NO_BEHAVIOURS",
      message: "The bot has no behaviours: `behaviors` is missing, and so is a folder below `behaviors/`.",
      fix: 'Add `"behaviors"` with their names in order.',
    });
  const numberOf = ({ path }: Folder): number | undefined => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return numberPrefix.test(name) ? Number.parseInt(name, 10) : undefined;
  };
  return byOrder(reading, folders, numberOf).map((folder) => sourceOf(folder.named, folder));
}

/** A list in alphabetical order says nothing about the order that is meant; then `order` decides. */
function inOrder(reading: BotReading, list: SourceNode, behaviours: readonly BehaviourSource[]): BehaviourSource[] {
  const names = behaviours.map(({ name }) => name);
  const alphabetical = names.every((name, index) => index === 0 || (names[index - 1] ?? "") < name);
  if (!alphabetical || behaviours.length < 2 || behaviours.every(({ node }) => numberAt(node, "order") === undefined))
    return [...behaviours];
  const sorted = byOrder(reading, behaviours, () => undefined);
  if (sorted.some((each, index) => each !== behaviours[index]))
    reading.warn(list, {
      code: "BOTS_BEHAVIOUR_ORDER",
      message: `\`behaviors\` is in alphabetical order, so \`order\` of each \`${behaviourFile}\` counts: ${quoteList(
        sorted.map(({ name }) => name),
        "and",
      )}.`,
      fix: "List the behaviours in the order in which they are done.",
    });
  return sorted;
}

/** By `order`, else by another number; what has neither comes last. Two of one order are reported. */
function byOrder<B extends Pick<BehaviourSource, "node">>(
  reading: BotReading,
  all: readonly B[],
  otherwise: (each: B) => number | undefined,
): B[] {
  const seen = new Map<number, SourceNode>();
  for (const { node } of all) {
    const order = numberAt(node, "order");
    if (order === undefined || node === undefined) continue;
    const other = seen.get(order);
    if (other === undefined) seen.set(order, node);
    else
      reading.complain(child(node, "order") ?? node, {
        code: "BOTS_DUPLICATE_ORDER",
        message: `\`${reading.pathOf(other)}\` and \`${reading.pathOf(node)}\` both have the order ${order}.`,
        fix: "Give each behaviour an order of its own.",
      });
  }
  const rank = (each: B): number => numberAt(each.node, "order") ?? otherwise(each) ?? Number.MAX_VALUE;
  return [...all].sort((a, b) => rank(a) - rank(b));
}
