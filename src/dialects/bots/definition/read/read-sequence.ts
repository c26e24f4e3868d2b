import { defined } from "../../../../base/index.ts";
import { child, didYouMean, flagAt, membersOf, textAt, type SourceNode } from "../../../../source/index.ts";
import { checkKeys, actionShape, actionsWorkflowShape, listedActionShape, overrideShape } from "../config-keys.ts";
import { actionFile, behaviourFile, instructionFiles, triggersFile } from "../vocabulary.ts";
import {
  findAction,
  hasLaterKeys,
  checkedName,
  checkIndependent,
  lastName,
  ownAction,
  type ActionSource,
  type ActionSet,
} from "./read-actions.ts";
import { foldersBelow, type BotReading } from "./bot-reading.ts";
import type { BehaviourSource } from "./read-behaviours.ts";

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
    if (!hasOwnWords(reading, behaviour, entry, name) && !common.unread.includes(name)) complainOfUnknown(reading, entry, name, common);
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

/** An action without a common folder needs instructions, or a workflow to call, from the behaviour itself. */
function hasOwnWords(reading: BotReading, { folder }: BehaviourSource, entry: SourceNode, name: string): boolean {
  if (child(entry, "instructions") !== undefined || child(entry, "calls") !== undefined) return true;
  if (folder === undefined) return false;
  return actionFoldersOf(reading, { name: "", folder }).some((each) => lastName(each) === name);
}

function complainOfUnknown(reading: BotReading, entry: SourceNode, name: string, common: ActionSet): void {
  reading.complain(child(entry, "name") ?? entry, {
    code: "BOTS_UNKNOWN_ACTION",
    message: `There is no action \`${name}\`: \`base_actions\` has no such folder, and \`${behaviourFile}\` gives it no instructions.`,
    fix: didYouMean(name, namesOf(common.actions)) ?? `Add \`base_actions/${name}/${actionFile}\`, or \`instructions\` here.`,
  });
}

function namesOf(actions: readonly ActionSource[]): string[] {
  return actions.map((action) => action.name);
}
