import { child, flagAt, has, didYouMean, membersOf, textAt, type SourceNode } from "../../../../source/index.ts";
import { plainName, actionFile, behaviourFile, instructionFiles, triggersFile } from "../vocabulary.ts";
import { checkKeys, actionShape, actionsWorkflowShape, listedActionShape, overrideShape } from "../config-keys.ts";
import { foldersBelow, type BotReading } from "./bot-reading.ts";
import { defined } from "../../../../base/index.ts";
import type { BehaviourSource } from "./read-behaviours.ts";

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
function hasLaterKeys(node: SourceNode): boolean {
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
    const other = actions.find((each) => each.name === action?.name);
    if (action === undefined) unread.push(plainName(name));
    else if (other === undefined) actions.push(action);
    else
      reading.complain(pick(action.placing, "name") ?? action.placing[0] ?? reading.place(action.file), {
        code: "BOTS_DUPLICATE_NAME",
        message: `\`${action.file}\` and \`${other.file}\` both define the action \`${action.name}\`.`,
        fix: "Rename one of them, or remove its folder.",
      });
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
function ownAction(reading: BotReading, node: SourceNode, folder: string, later: boolean): ActionSource {
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
function lastName(path: string): string {
  return plainName(path.slice(path.lastIndexOf("/") + 1));
}

/** An independent action has no place in a sequence, and neither leads anywhere nor continues. `said` names another file that made it so. */
function checkIndependent(reading: BotReading, node: SourceNode, said?: string): void {
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

/** The actions of one behaviour, in no order yet. */
export interface BehaviourActions {
  readonly actions: readonly ActionSource[];
  /** The behaviour changes the common sequence or brings its own. */
  readonly own: boolean;
}

/** The common actions with what the behaviour changes of them and adds to them, or the behaviour's own list. */
export function readBehaviourActions(reading: BotReading, behaviour: BehaviourSource, common: ActionSet): BehaviourActions {
  const listed = readList(reading, behaviour, common);
  const base = listed ?? common.actions;
  const folders = actionFoldersOf(reading, behaviour);
  const known = [...base];
  const own: ActionSource[] = [];
  const strays: string[] = [];
  let changed = listed !== undefined;
  for (const folder of folders) {
    const node = reading.json(`${folder}/${actionFile}`);
    const plain = lastName(folder);
    const written = textAt(node, "name");
    const target = (written === undefined ? undefined : findAction(known, written)) ?? findAction(known, plain);
    if (target !== undefined) {
      if (node !== undefined) {
        if (!checkKeys(reading, node, overrideShape, `\`${folder}/${actionFile}\``)) continue;
        checkIndependent(reading, node);
        changed = true;
      }
      const placing = [...target.placing, ...(node === undefined ? [] : [node])];
      known[known.indexOf(target)] = { ...target, parts: [...target.parts, { folder, ...defined({ node }) }], placing };
    } else if (node !== undefined && checkKeys(reading, node, actionShape, `\`${folder}/${actionFile}\``)) {
      checkIndependent(reading, node);
      own.push(ownAction(reading, node, folder, hasLaterKeys(node)));
      changed = true;
    } else if (node === undefined && !common.unread.includes(plain)) strays.push(folder);
  }
  const actions = [...known, ...own];
  for (const folder of strays) complainOfStray(reading, behaviour, folder, actions);
  return { actions, own: changed };
}

/** Texts for an action that the behaviour does not have. A folder without any is content of the bot. */
function complainOfStray(reading: BotReading, { name }: BehaviourSource, folder: string, actions: readonly ActionSource[]): void {
  const file = [...instructionFiles, triggersFile].map((each) => `${folder}/${each}`).find((path) => reading.files.has(path));
  if (file === undefined) return;
  const plain = lastName(folder);
  const close = didYouMean(plain, namesOf(actions));
  reading.warn(reading.place(file), {
    code: "BOTS_WITHOUT_EFFECT",
    message: `\`${file}\` is never used: the behaviour \`${name}\` has no action \`${plain}\`.`,
    fix:
      close !== undefined ? `${close} Rename the folder.` : `Rename the folder, add \`${actionFile}\` to make it an action, or remove it.`,
  });
}

/** Folders of actions are right in the behaviour's folder or below `actions`; what is not an action there is content of the bot. */
function actionFoldersOf(reading: BotReading, { folder }: BehaviourSource): string[] {
  if (folder === undefined) return [];
  return [folder, `${folder}/actions`].flatMap((parent) => foldersBelow(reading.files, parent).map((name) => `${parent}/${name}`));
}

/** The list of actions in `behavior.json`; undefined when it has none and the common sequence counts. */
function readList(reading: BotReading, behaviour: BehaviourSource, common: ActionSet): ActionSource[] | undefined {
  const workflow = child(behaviour.node, "actions_workflow");
  if (workflow === undefined) return undefined;
  if (!checkKeys(reading, workflow, actionsWorkflowShape, "`actions_workflow`")) return [];
  const actions: ActionSource[] = [];
  const entries = membersOf(child(workflow, "actions")).filter((entry) => checkKeys(reading, entry, listedActionShape, "The action"));
  // A list without any order is in order by itself.
  const positions = entries.every((entry) => child(entry, "order") === undefined);
  for (const [index, entry] of entries.entries()) {
    if (flagAt(entry, "workflow") === false) checkIndependent(reading, entry);
    const found = listedAction(reading, behaviour, entry, common);
    if (found === undefined) continue;
    const action = positions ? { ...found, position: index + 1 } : found;
    if (actions.every((each) => each.name !== action.name)) actions.push(action);
    else
      reading.complain(child(entry, "name") ?? entry, {
        code: "BOTS_DUPLICATE_NAME",
        message: `The action \`${action.name}\` is listed twice in \`${action.file}\`.`,
        fix: "Remove one of the two.",
      });
  }
  // An independent action is not listed; it stays callable and may still be given lines by the behaviour.
  const independent = common.actions.filter(
    (each) => child(each.placing[0], "workflow")?.value === false && actions.every(({ name }) => name !== each.name),
  );
  return [...actions, ...independent];
}

function listedAction(reading: BotReading, behaviour: BehaviourSource, entry: SourceNode, common: ActionSet): ActionSource | undefined {
  const written = textAt(entry, "name");
  if (written === undefined || written.trim() === "") return undefined;
  const name = checkedName(reading, child(entry, "name"), "an action", written);
  const base = findAction(common.actions, name);
  const shared = { placing: [entry], file: reading.pathOf(entry), later: true, listed: true } as const;
  if (base === undefined) {
    // It needs instructions, or a workflow to call, from the behaviour itself.
    const own = child(entry, "instructions") ?? child(entry, "calls");
    const described = own !== undefined || actionFoldersOf(reading, behaviour).some((each) => lastName(each) === name);
    if (!described && !common.unread.includes(name))
      reading.complain(child(entry, "name") ?? entry, {
        code: "BOTS_UNKNOWN_ACTION",
        message: `There is no action \`${name}\`: \`base_actions\` has no such folder, and \`${behaviourFile}\` gives it no instructions.`,
        fix: didYouMean(name, namesOf(common.actions)) ?? `Add \`base_actions/${name}/${actionFile}\`, or \`instructions\` here.`,
      });
    return { name, folder: name, parts: [{ node: entry }], ...shared };
  }
  if (base.name !== name)
    reading.warn(child(entry, "name") ?? entry, {
      code: "BOTS_FOLDER_DIFFERS",
      message: `\`${name}\` is the folder of the action \`${base.name}\`, which is meant here.`,
      fix: `Write \`${base.name}\`.`,
    });
  if (base.placing.some((node) => flagAt(node, "workflow") === false) && flagAt(entry, "workflow") === undefined)
    checkIndependent(reading, entry, base.file);
  return { name: base.name, folder: base.folder, parts: [...base.parts, { node: entry }], ...shared };
}

function namesOf(actions: readonly ActionSource[]): string[] {
  return actions.map((action) => action.name);
}
