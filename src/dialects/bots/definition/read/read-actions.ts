import { child, flagAt, has, type SourceNode } from "../../../../source/index.ts";
import { plainName, actionFile } from "../vocabulary.ts";
import { checkKeys, actionShape } from "../config-keys.ts";
import { foldersBelow, type BotReading } from "./bot-reading.ts";

/** One place that says something about an action: a configuration, the folder it is in, or both. */
export interface ActionPart {
  readonly node?: SourceNode;
  /** Folder with instructions and trigger words, below the bot's folder. */
  readonly folder?: string;
}

/** An action as its files describe it, before it has a place in a sequence. */
export interface ActionSource {
  readonly name: string;
  /** Name of its folder without number; its own name when it has none. */
  readonly folder: string;
  /** What is common to all behaviours first; later parts win. */
  readonly parts: readonly ActionPart[];
  /** Where `order` and `next_action` are read from; later ones win. */
  readonly placing: readonly SourceNode[];
  /** File it comes from, below the bot's folder. */
  readonly file: string;
  /** Written in the form in which `next_action` may be missing or name nothing. */
  readonly later: boolean;
  /** Named in a behaviour's own list, which makes it part of the sequence unless it is independent. */
  readonly listed?: boolean;
  /** Place in that list, where it decides. */
  readonly position?: number;
}

/** The value of a key where it is said last. */
export function pick(nodes: readonly SourceNode[], key: string): SourceNode | undefined {
  return nodes.map((node) => child(node, key)).findLast((found) => found !== undefined);
}

export function nodesOf(action: Pick<ActionSource, "parts">): SourceNode[] {
  return action.parts.flatMap(({ node }) => (node === undefined ? [] : [node]));
}

/** Whether the action has a place in the sequence. A file that does not say so, or says it wrongly, is judged by its order. */
export function inSequence(action: ActionSource): boolean {
  const said = nodesOf(action)
    .map((node) => flagAt(node, "workflow"))
    .findLast((flag) => flag !== undefined);
  return said ?? (action.listed === true || typeof pick(action.placing, "order")?.value === "number");
}

/** Finds an action by its name, else by the name of its folder. */
export function findAction<A extends { readonly name: string; readonly folder: string }>(
  actions: readonly A[],
  name: string,
): A | undefined {
  const plain = plainName(name);
  return actions.find((action) => action.name === plain) ?? actions.find((action) => action.folder === plain);
}

/** Whether a configuration has keys that came with the later form. */
export function hasLaterKeys(node: SourceNode): boolean {
  return ["auto_confirm", "skip_confirm", "action_class", "wait_until_complete"].some((key) => has(node, key));
}

/** The actions of a folder, and the names of those whose configuration could not be read. */
export interface ActionSet {
  readonly actions: readonly ActionSource[];
  readonly unread: readonly string[];
}

/** Reads `base_actions`: every folder in it is an action. Its name is the one in the configuration, whatever the folder is called. */
export function readActions(reading: BotReading, folder: string, later: boolean): ActionSet {
  const actions: ActionSource[] = [];
  const unread: string[] = [];
  for (const name of foldersBelow(reading.files, folder)) {
    const action = readAction(reading, `${folder}/${name}`, later);
    if (action === undefined) unread.push(plainName(name));
    else if (!isTwice(reading, action, actions)) actions.push(action);
  }
  return { actions, unread };
}

function readAction(reading: BotReading, folder: string, later: boolean): ActionSource | undefined {
  const file = `${folder}/${actionFile}`;
  if (!reading.files.has(file)) {
    reading.complain(reading.place(file), {
      code: "BOTS_NO_ACTION_CONFIG",
      message: `The action folder \`${folder}\` has no \`${actionFile}\`.`,
      fix: `Add \`${file}\` with \`name\`, \`workflow\`, \`order\` and \`next_action\`, or remove the folder.`,
    });
    return undefined;
  }
  const node = reading.json(file);
  if (node === undefined || !checkKeys(reading, node, actionShape, `\`${file}\``)) return undefined;
  checkIndependent(reading, node);
  return ownAction(reading, node, folder, later);
}

/** An action whose whole configuration is in one file. */
export function ownAction(reading: BotReading, node: SourceNode, folder: string, later: boolean): ActionSource {
  const plain = lastName(folder);
  const name = checkedName(reading, child(node, "name"), "an action", plain);
  if (name !== plain) {
    reading.warn(child(node, "name") ?? node, {
      code: "BOTS_FOLDER_DIFFERS",
      message: `The action is called \`${name}\`, but its folder \`${plain}\`. Both names lead to it; \`${name}\` is shown.`,
      fix: "Make both names equal.",
    });
  }
  return {
    name,
    folder: plain,
    parts: [{ node, folder }],
    placing: [node],
    file: reading.pathOf(node),
    later: later || hasLaterKeys(node),
  };
}

/** The last part of a path, without its number. */
export function lastName(path: string): string {
  return plainName(path.slice(path.lastIndexOf("/") + 1));
}

/** An independent action has no place in a sequence, and neither leads anywhere nor continues. `said` names another file that made it so. */
export function checkIndependent(reading: BotReading, node: SourceNode, said?: string): void {
  if (said === undefined && flagAt(node, "workflow") !== false) return;
  for (const key of ["order", "next_action"]) {
    const found = child(node, key);
    if (found === undefined || found.value === null) continue;
    reading.complain(found, {
      code: "BOTS_INDEPENDENT_PLACED",
      message: `The action is independent (\`"workflow": false\`${said === undefined ? "" : ` in \`${said}\``}), but has \`${key}\`.`,
      fix: `Write \`"${key}": null\`, or \`"workflow": true\`.`,
      at: "key",
    });
  }
  for (const key of ["auto_progress", "auto_confirm", "chooses_project_area"]) {
    if (flagAt(node, key) !== true) continue;
    reading.warn(child(node, key) ?? node, {
      code: "BOTS_WITHOUT_EFFECT",
      message: `\`${key}\` has no effect on an independent action.`,
      fix: "Remove the key.",
      at: "key",
    });
  }
}

function isTwice(reading: BotReading, action: ActionSource, others: readonly ActionSource[]): boolean {
  const other = others.find((each) => each.name === action.name);
  if (other === undefined) return false;
  reading.complain(pick(action.placing, "name") ?? action.placing[0] ?? reading.place(action.file), {
    code: "BOTS_DUPLICATE_NAME",
    message: `\`${action.file}\` and \`${other.file}\` both define the action \`${action.name}\`.`,
    fix: "Rename one of them, or remove its folder.",
  });
  return true;
}

/** The name of a bot, behaviour or action without its number; complains when tools and state files could not carry it. */
export function checkedName(reading: BotReading, node: SourceNode | undefined, what: string, folder: string): string {
  const written = typeof node?.value === "string" && node.value.trim() !== "" ? node.value : undefined;
  const name = plainName(written ?? folder);
  if (!/^[A-Za-z0-9][\w-]*$/.test(name))
    reading.complain(node ?? reading.place(folder), {
      code: "BOTS_BAD_NAME",
      message: `\`${name}\` cannot be the name of ${what}.`,
      fix: "Use letters, digits, `_` and `-`, e.g. `gather_context`.",
    });
  return name;
}
