import { defined } from "../../../../base/index.ts";
import { child, isText, quoteList, textAt, type SourceNode } from "../../../../source/index.ts";
import { checkSequence, type Sequence } from "../arrange-actions.ts";
import type { ActionDefinition, BehaviourDefinition, BotDefinition } from "../bot-definition.ts";
import { actionFolders, areaAction, doneWords } from "../vocabulary.ts";
import { applySettings, tellIndependent, checkSkipped, readSettings } from "./read-settings.ts";
import {
  findAction,
  inSequence,
  nodesOf,
  pick,
  readActions,
  type ActionSource,
  type ActionSet,
  readBehaviourActions,
  type BehaviourActions,
} from "./read-actions.ts";
import { folderOf, joinPath, hasFolder, type BotReading } from "./bot-reading.ts";
import { buildAction, buildIndependent, flagIn, readTriggers } from "./build-action.ts";
import { readBehaviours, type BehaviourSource } from "./read-behaviours.ts";
import { behaviourValues, labelled, readInstructions } from "./read-instructions.ts";

/** A behaviour with its actions in order. */
interface Grid {
  readonly behaviour: BehaviourSource;
  /** What it has in common with the others. */
  readonly set: ActionSet;
  readonly actions: BehaviourActions;
  /** Those of them that are in no sequence. */
  readonly independent: readonly ActionSource[];
  readonly sequence: Sequence;
}

/** The whole bot; what is wrong with it goes to the reading. Keys that are not acted on are left to the caller. */
export function readDefinition(reading: BotReading, config: SourceNode, name: string): BotDefinition {
  const behaviours = readBehaviours(reading, config);
  const later = behaviours.some(({ node }) => child(node, "actions_workflow") !== undefined);
  const common = readActions(reading, commonFolder(reading), later);
  const grid = readGrid(reading, behaviours, common, later);
  const settable = grid.map(({ behaviour, actions }) => ({ name: behaviour.name, actions: actions.actions }));
  const settings = readSettings(reading, name, settable);
  const bot = { bot: name };
  const behavioursBuilt = grid.map((each) => buildBehaviour(reading, each, bot));
  const built = applySettings(reading, settings, behavioursBuilt);
  for (const { behaviour, independent } of grid) tellIndependent(reading, settings, behaviour.name, independent);
  checkSkipped(reading, settings, built);
  const beside = folderOf(reading.pathOf(config));
  return {
    name,
    description: textAt(config, "description") ?? "",
    instructions: readInstructions(reading, [{ node: config, folder: "" }, ...(beside === "" ? [] : [{ folder: beside }])], {
      values: bot,
      folders: [],
    }),
    behaviours: built,
    independent: independentOf(reading, grid, bot),
    doneBy: doneBy(reading, config),
    ...defined({ choosesArea: areaChooser(reading, grid) }),
    kept: {},
  };
}

function commonFolder(reading: BotReading): string {
  return actionFolders.find((folder) => hasFolder(reading.files, folder)) ?? actionFolders[0];
}

function doneBy(reading: BotReading, config: SourceNode): BotDefinition["doneBy"] {
  const node = child(config, "done_by");
  const known = doneWords.find((word) => word === node?.value);
  if (node !== undefined && isText(node) && known === undefined)
    reading.complain(node, {
      code: "BOTS_BAD_VALUE",
      message: `\`done_by\` is \`${node.value}\`, which is not one of ${quoteList(doneWords, "and")}.`,
      fix: `Use ${quoteList(doneWords, "or")}.`,
    });
  return known ?? "person";
}

/** Actions of every behaviour in order. A problem of the common sequence is reported once, not for every behaviour. */
function readGrid(reading: BotReading, behaviours: readonly BehaviourSource[], common: ActionSet, later: boolean): Grid[] {
  const found = behaviours.map((behaviour) => {
    const set = actionsFor(reading, behaviour, common, later);
    return { behaviour, set, actions: readBehaviourActions(reading, behaviour, set) };
  });
  const reported = new Set<string>();
  return [...found]
    .sort((a, b) => Number(a.actions.own) - Number(b.actions.own))
    .map(({ behaviour, set, actions }) => {
      const flow = actions.actions.filter(inSequence);
      const independent = actions.actions.filter((action) => !inSequence(action));
      const sequence = checkSequence(flow, { independent: independent.map(({ name }) => name), unread: set.unread });
      // Said once, whichever behaviours have it in common.
      for (const { node: at, complaint } of sequence.problems) {
        const key = JSON.stringify([complaint.code, at.file.source.path, at.path]);
        if (reported.has(key)) continue;
        reported.add(key);
        const inner = at.file === behaviour.node?.file || !actions.own;
        reading.complain(at, inner ? complaint : { ...complaint, message: `In the behaviour \`${behaviour.name}\`: ${complaint.message}` });
      }
      const { name, node, folder } = behaviour;
      if (flow.length === 0 && set.unread.length === 0)
        reading.complain(child(node, "actions_workflow") ?? node ?? reading.place(folder ?? actionFolders[0]), {
          code: "BOTS_NO_FIRST",
          message: `The behaviour \`${name}\` has no workflow action, so it has no first one.`,
          fix: 'Add an action with `"workflow": true` below `base_actions/`.',
        });
      return { behaviour, set, actions, independent, sequence };
    })
    .sort((a, b) => behaviours.indexOf(a.behaviour) - behaviours.indexOf(b.behaviour));
}

/** The common actions, unless the behaviour names another folder that exists. */
function actionsFor(reading: BotReading, behaviour: BehaviourSource, common: ActionSet, later: boolean): ActionSet {
  const node = child(behaviour.node, "baseActionsPath");
  if (node === undefined || !isText(node)) return common;
  const places = [joinPath("", node.value), joinPath(behaviour.folder ?? "", node.value)];
  const folder = places.find((each) => each !== "" && hasFolder(reading.files, each));
  if (folder === commonFolder(reading)) return common;
  if (folder !== undefined) return readActions(reading, folder, later);
  if (!/(?:^|[\\/])base_actions[\\/]?$/.test(node.value))
    reading.warn(node, {
      code: "BOTS_NO_FOLDER",
      message: `\`baseActionsPath\` is \`${node.value}\`, where there is no action. The common actions are used.`,
      fix: "Write a path relative to the bot's folder, or remove the key.",
    });
  return common;
}

function buildBehaviour(reading: BotReading, { behaviour, sequence }: Grid, bot: Record<string, string>): BehaviourDefinition {
  const { name, node, folder } = behaviour;
  const parts = [defined({ node, folder })];
  const values = { ...behaviourValues(node), ...bot, behavior: name };
  const folders = folder === undefined ? [] : [folder];
  return {
    name,
    description: textAt(node, "description") ?? "",
    instructions: [
      ...["Goal", "Inputs", "Outputs"].flatMap((label) => labelled(label, child(node, label.toLowerCase()))),
      ...readInstructions(reading, parts, { values, folders }),
    ],
    actions: sequence.arranged.map((arranged) => buildAction(reading, arranged, { values, folders })),
    triggers: readTriggers(reading, parts),
    setting: "manual",
  };
}

/**
 * Independent actions, each once. What a behaviour adds to one is below the common lines, with the name of the behaviour.
 */
function independentOf(reading: BotReading, grid: readonly Grid[], bot: Record<string, string>): ActionDefinition[] {
  const found = new Map<string, ActionDefinition>();
  for (const { behaviour, set, independent } of grid) {
    for (const source of independent) {
      const common = findAction(set.actions, source.name) ?? source;
      const values = { ...bot, action: source.name, next_action: "none" };
      const folders = behaviour.folder === undefined ? [] : [behaviour.folder];
      const known = found.get(source.name) ?? buildIndependent(reading, common, { values, folders });
      const lines = readInstructions(reading, source.parts.slice(common.parts.length), {
        values: { ...values, behavior: behaviour.name },
        folders,
      });
      const added = lines.length === 0 ? [] : [`In the behaviour \`${behaviour.name}\`:\n${lines.join("\n")}`];
      found.set(source.name, { ...known, instructions: [...known.instructions, ...added] });
    }
  }
  return [...found.values()];
}

/** The one action that chooses the project area: the one that says so, else the one that is called like it by custom. */
function areaChooser(reading: BotReading, grid: readonly Grid[]): string | undefined {
  const sources = grid.flatMap(({ sequence }) => sequence.arranged.map(({ source }) => source));
  const said = (source: ActionSource): boolean | undefined => flagIn(nodesOf(source), "chooses_project_area");
  const choosers = sources.filter((source) => said(source) === true);
  const other = choosers.find((source) => source.name !== choosers[0]?.name);
  const node = other === undefined ? undefined : pick(nodesOf(other), "chooses_project_area");
  if (other !== undefined && node !== undefined)
    reading.complain(node, {
      code: "BOTS_TWO_CHOOSERS",
      message: `\`${choosers[0]?.name ?? ""}\` in \`${choosers[0]?.file ?? ""}\` and \`${other.name}\` in \`${other.file}\` both choose the project area.`,
      fix: "Leave `chooses_project_area` in one of them.",
      at: "key",
    });
  return (choosers[0] ?? sources.find((source) => source.name === areaAction && said(source) !== false))?.name;
}
