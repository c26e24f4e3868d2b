import { child, flagAt, type SourceNode } from "../../../../source/index.ts";
import { checkKeys } from "../check/check-keys.ts";
import { actionShape } from "../shape/config-shapes.ts";
import { actionFile, plainName } from "../vocabulary.ts";
import { hasLaterKeys, type ActionSource } from "./action-source.ts";
import { foldersBelow, type BotReading } from "./bot-reading.ts";
import { checkedName } from "./check-name.ts";

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
    reading.complainOf(reading.place(file), {
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
  const plain = plainName(folder.slice(folder.lastIndexOf("/") + 1));
  const name = checkedName(reading, child(node, "name"), "an action", plain);
  if (name !== plain) {
    reading.complain(child(node, "name") ?? node, {
      code: "BOTS_FOLDER_DIFFERS",
      severity: "warning",
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
    reading.complain(child(node, key) ?? node, {
      code: "BOTS_WITHOUT_EFFECT",
      severity: "warning",
      message: `\`${key}\` has no effect on an independent action.`,
      fix: "Remove the key.",
      at: "key",
    });
  }
}

function isTwice(reading: BotReading, action: ActionSource, others: readonly ActionSource[]): boolean {
  const other = others.find((each) => each.name === action.name);
  if (other === undefined) return false;
  const [node] = action.placing;
  if (node !== undefined)
    reading.complain(child(node, "name") ?? node, {
      code: "BOTS_DUPLICATE_NAME",
      message: `\`${action.file}\` and \`${other.file}\` both define the action \`${action.name}\`.`,
      fix: "Rename one of them, or remove its folder.",
    });
  return true;
}
