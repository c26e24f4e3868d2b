import { coreShown, type Shown } from "../../../views/index.ts";
import {
  nothing,
  readAs,
  refused,
  type ActionLeaf,
  type EffectLeaf,
  type LeafArgs,
  type Run,
  type Runtime,
} from "../../../engine/index.ts";
import { wantsChanges } from "./changed/base-of-run.ts";
import { versionsIn } from "./versions-in.ts";
import { reopenCalled } from "./commands/retry-checklist.ts";
import { fileCounts, instanceCounts } from "./run-rows.ts";
import { checklistAt, decodeChecklist, neededOptions, type ChecklistConfig, statusWanted } from "./checklist-run.ts";
import { isObject, textOf, type JsonObject, isList, counted, grouped } from "../../../base/index.ts";
import { type Action, handOutId } from "../../../kernel/index.ts";

const effectNames = [
  "inventory",
  "guides",
  "find_tools",
  "run_tools",
  "scan_chunk",
  "summarise",
  "look",
  "check_entry",
  "settle_instance",
  "close_file",
  "gate_files",
  "verify",
  "look_again",
  "refresh",
  "apply_edits",
  "undo_edits",
] as const;
export type ChecklistEffect = (typeof effectNames)[number];

/** Effects are loaded with the first one that is performed: runs of other dialects never wait for them. */
function effect(what: ChecklistEffect, runs: EffectLeaf<ChecklistConfig>["runs"]): EffectLeaf<ChecklistConfig> {
  return {
    runs,
    called: placeOfItem,
    async perform(job) {
      const { checklistEffects } = await import("./effects/checklist-effects.ts");
      return checklistEffects[what]({ ...job, context: job.engine, run: checklistAt(job) });
    },
  };
}

const effects: Readonly<Record<string, EffectLeaf<ChecklistConfig>>> = {
  ...Object.fromEntries(effectNames.map((what) => [what, effect(what, ({ tools }) => toolRuns(tools))])),
  verify: {
    ...effect("verify", (args) => commandsOf(args["commands"])),
    configured: ({ verifyCommands }) =>
      verifyCommands.flatMap(({ fromProject, command }) => (fromProject ? [{ kind: "command", text: command } as const] : [])),
  },
};

/** The row that a leaf is about: a file, a place in it, or an entry of its checklist. */
function placeOfItem({ item }: JsonObject): string | undefined {
  if (!isObject(item)) return undefined;
  const { file, path = file, line, column, entry: name = item["topic_id"] } = item;
  if (typeof path !== "string") return undefined;
  if (line !== undefined) return `${path}:${textOf(line)}${column === undefined ? "" : `:${textOf(column)}`}`;
  return name === undefined ? path : `${path} (${textOf(name)})`;
}

/** What the agent does; its reports are taken under the rules of the workflow. */
function entry(show: ActionLeaf<ChecklistConfig>["show"]): ActionLeaf<ChecklistConfig> {
  return {
    runs: nothing,
    show,
    fields: ["findings", "proposed_changes", "expand_checklist", "skip_reason", "identical"],
    async take(at, action, report) {
      const { takeEntry } = await import("./take-entry.ts");
      return takeEntry(at, action, report);
    },
  };
}

const actions: Readonly<Record<string, ActionLeaf<ChecklistConfig>>> = {
  check: {
    ...entry(async ({ engine, handle }, { action }) => {
      const { checkShown, describeCheck } = await import("./describe-check.ts");
      const description = await describeCheck(engine, handle, action);
      return description === undefined ? coreShown(handle, action) : checkShown(action, description);
    }),
    called: placeOfItem,
    kind: "entry",
    async overtaken(at, action) {
      const { item } = action.args;
      return isObject(item) && item["kind"] === "instance" ? (await import("./overtaken.ts")).overtaken(at, action) : undefined;
    },
    /** An instance that a report calls converted: the file tells. */
    async denied({ engine, handle }, { id, step, args }, standing) {
      const { item, list, judge } = args;
      if (!isObject(item) || item["kind"] !== "instance" || judge === true) return undefined;
      const row = await engine.store.readItem(handle.id, textOf(list ?? ""), textOf(item["id"] ?? ""));
      const reason = row?.reason ?? "It is still there.";
      if (row?.status === "failed") return { became: "failed", item, reason };
      const again = standing?.kind === "action" && standing.action.step === step && standing.action.id !== id;
      return again ? { became: "open", item, reason } : undefined;
    },
  },
  run_phase: entry((_at, { action }) => phaseShown(action)),
  batch_apply: {
    ...entry((at, { action }) => {
      const { auto } = instanceCounts(at.handle.state, checklistAt(at).lists.files).open;
      return batchShown(action, { auto, possible: at.handle.program.dialect === "checklist" });
    }),
    asks: "workflow_batch",
  },
  complete_workflow: {
    runs: nothing,
    alone: () => "",
    show(at, { action }) {
      const { total, blocked: failed } = fileCounts(at.handle.state, checklistAt(at));
      return endShown(action, { total, failed, changed: wantsChanges(checklistAt(at).options) });
    },
    async take(_at, _action, { status }) {
      const message = "The end of a run is not skipped. Nothing was changed.";
      if (status === "skipped") throw refused("ENGINE_OFF_COURSE", message, "Leave the run open, or end it.", { kind: "skip" });
      return status === "failed" ? undefined : { outcome: { ok: true, value: { again: false } } };
    },
  },
};

export const checklistRuntime: Runtime<ChecklistConfig> = {
  decode: decodeChecklist,
  leaves: { ...effects, ...actions },
  async problems(config, files) {
    return (await import("./refuse-start.ts")).patternProblems(config, files);
  },
  reopen: reopenCalled,
  async check(config) {
    await (await import("./refuse-start.ts")).refusePatterns(config);
  },
  needs: ({ definition }) => {
    const options = neededOptions(definition);
    return options.length === 0 ? {} : { options };
  },
  said({ definition }, request) {
    const needed = neededOptions(definition);
    const options = Object.fromEntries(Object.entries(versionsIn(request)).filter(([name]) => needed.includes(name)));
    return Object.keys(options).length === 0 ? {} : { options };
  },
  async start(engine, config, inputs) {
    const { refuseStart } = await import("./refuse-start.ts");
    await refuseStart(engine, config, inputs);
  },
};

/** Every line of the tools that an effect may run; most have none. */
function toolRuns(tools: LeafArgs[string] | undefined): readonly Run[] {
  if (tools === undefined) return [];
  const { as, of: list } = tools;
  const readAsElse = as === "value" ? {} : { readAs: [`tools read as ${as}`] };
  return (isList(list) ? list : []).flatMap((each): readonly Run[] => {
    const { command, per_file: line } = isObject(each) ? each : {};
    const lines = [textOf(command ?? ""), ...(isObject(line) ? [`${textOf(line["before"])}{{file}}${textOf(line["after"])}`] : [])];
    return lines.map((text) => ({ kind: "command", text, ofProject: true, ...readAsElse }));
  });
}

function commandsOf(commands: LeafArgs[string] | undefined): readonly Run[] {
  if (commands === undefined) return [];
  const { as, of: list } = commands;
  if (as !== "value" || !isList(list)) return [{ kind: "command", text: textOf(list), readAs: [`commands read as ${as}`] }];
  return list.flatMap((each): readonly Run[] => {
    const { command = each } = isObject(each) ? each : {};
    return [{ kind: "command", text: textOf(command), ...readAs({ command: { as, of: command } }, { command: ["plain"] }) }];
  });
}

/** What the engine can fix in one batch. `auto`: how many instances; `possible`: whether this run has batches. */
function batchShown(action: Action, { auto, possible }: { readonly auto: number; readonly possible: boolean }): Shown {
  if (auto === 0)
    return plainShown(action, "Nothing is left that the engine could fix: report this as completed.", { action: action.what });
  const what = counted(auto, "instance");
  if (!possible) {
    const inside = `${what} could be fixed in one batch, but a checklist inside another workflow has no batches: report completed, and each is handed out with its fix.`;
    return plainShown(action, inside, { action: action.what });
  }
  const instructions = `${what} can be fixed by the engine. Make the dry run, show it to the user, confirm with its token. To leave them for review instead, report action skip_batch, status skipped, with skip_reason.`;
  return plainShown(action, instructions, { action: action.what });
}

/** Everything is done but the end of the run. */
function endShown(
  action: Action,
  { total, failed, changed }: { readonly total: number; readonly failed: number; readonly changed: boolean },
): Shown {
  const nothing =
    total === 0
      ? `No ${changed ? "changed file" : "file"} matches, so there is nothing to do.`
      : failed === 0
        ? "All files have been processed."
        : `All files have been processed, ${grouped(failed)} of them without success: workflow_retry opens them again.`;
  return plainShown(action, `${nothing} Call workflow_complete to end the run and get the report.`, { action: action.what });
}

/** A phase that the agent runs by itself. */
function phaseShown(action: Action): Shown {
  const { args } = action;
  const said = (name: string): string => textOf(args[name] ?? "");
  const lines = isList(args["checklist"]) ? args["checklist"].map((line) => `- ${textOf(line)}`) : [];
  return plainShown(action, [`${said("name")}: ${said("description")}`, ...lines].join("\n"), {
    action: action.what,
    ...(isList(args["actions"]) && args["actions"].length > 0 ? { available_actions: args["actions"] } : {}),
  });
}

function plainShown(action: Action, instructions: string, definition: JsonObject): Shown {
  return {
    step: { id: handOutId(action.step, action.id), type: action.what, instructions, definition },
    fillIn: { status: statusWanted },
  };
}
