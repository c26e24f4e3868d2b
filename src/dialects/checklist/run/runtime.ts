import type { Expr } from "../../../program/index.ts";
import { batchShown, checkShown, endShown, phaseShown } from "../views/index.ts";
import { coreShown, type Standing } from "../../../views/index.ts";
import {
  nothing,
  type ActionLeaf,
  type EffectLeaf,
  type LeafArgs,
  type Run,
  type Runtime,
  type EngineContext,
  type DeniedClaim,
} from "../../../engine/index.ts";
import { reopenCalled } from "./commands/retry-checklist.ts";
import { fileCounts, instanceCounts } from "./count-rows.ts";
import { checklistAt, decodeChecklist, type ChecklistConfig } from "./checklist-run.ts";
import { isObject, textOf, type JsonObject } from "../../../base/index.ts";
import type { Action } from "../../../kernel/index.ts";

const effectNames = [
  "inventory",
  "guides",
  "scan_chunk",
  "summarise",
  "look",
  "check_entry",
  "settle_instance",
  "close_file",
  "gate_files",
  "verify",
  "refresh",
  "apply_edits",
  "undo_edits",
] as const;
export type ChecklistEffect = (typeof effectNames)[number];

/** Effects are loaded with the first one that is performed: runs of other dialects never wait for them. */
function effect(what: ChecklistEffect, runs: EffectLeaf<ChecklistConfig>["runs"]): EffectLeaf<ChecklistConfig> {
  return {
    runs,
    async perform(job) {
      const { checklistEffects } = await import("./effects/checklist-effects.ts");
      return checklistEffects[what]({ ...job, context: job.engine, run: checklistAt(job) });
    },
  };
}

const effects: Readonly<Record<string, EffectLeaf<ChecklistConfig>>> = {
  ...Object.fromEntries(effectNames.map((what) => [what, effect(what, nothing)])),
  // Commands of the settings have a permission of their own, which `verify` asks for when it runs them.
  verify: effect("verify", (args) => commandsOf(args["commands"])),
};

/** What the agent does; its reports are taken under the rules of the workflow. */
function entry(show: ActionLeaf<ChecklistConfig>["show"]): ActionLeaf<ChecklistConfig> {
  return {
    runs: nothing,
    show,
    fields: ["findings", "proposed_changes", "expand_checklist", "skip_reason"],
    async take(at, action, report) {
      const { takeEntry } = await import("./take-entry.ts");
      return takeEntry(at, action, report);
    },
  };
}

const actions: Readonly<Record<string, ActionLeaf<ChecklistConfig>>> = {
  check: {
    ...entry(async ({ engine, handle }, { action }) => {
      const { describeCheck } = await import("./describe-check.ts");
      const description = await describeCheck(engine, handle, action);
      return description === undefined ? coreShown(handle, action) : checkShown(action, description);
    }),
    async denied({ engine, handle }, action, standing) {
      const claimed = claimedIn(action);
      return claimed === undefined ? undefined : deniedClaim(engine, handle.id, claimed, standing);
    },
  },
  run_phase: entry((_at, { action }) => phaseShown(action)),
  batch_apply: entry((at, { action }) => {
    const { auto } = instanceCounts(at.handle.state, checklistAt(at).lists.files).open;
    return batchShown(action, { auto, possible: at.handle.program.dialect === "checklist" });
  }),
  complete_workflow: {
    runs: nothing,
    show(at, { action }) {
      const { total, blocked: failed } = fileCounts(at.handle.state, checklistAt(at));
      return endShown(action, { total, failed });
    },
    take: async (_at, _action, { status }) => (status === "failed" ? undefined : { outcome: { ok: true, value: { again: false } } }),
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
  async start(engine, config, inputs) {
    const { refuseStart } = await import("./refuse-start.ts");
    await refuseStart(engine, config, inputs);
  },
};

function commandsOf(commands: LeafArgs[string] | undefined): readonly Run[] {
  const list: Expr["of"] | undefined = commands?.of;
  if (!Array.isArray(list)) return [];
  return (list as readonly { readonly command?: unknown }[]).flatMap(({ command }): readonly Run[] =>
    typeof command === "string" ? [{ kind: "command", text: command }] : [],
  );
}

/** An instance that a report calls converted, as it was handed out. */
export interface Claimed {
  readonly action: Pick<Action, "id" | "step">;
  readonly list: string;
  readonly item: JsonObject;
}

/** undefined when the action is about no instance. Asked before the report is made: afterwards the action is gone. */
export function claimedIn(action: Action | undefined): Claimed | undefined {
  const item = action?.args["item"];
  if (action === undefined || !isObject(item) || item["kind"] !== "instance") return undefined;
  return { action, list: textOf(action.args["list"] ?? ""), item };
}

/** `standing` is where the reporter stands once the engine has looked at the file; undefined: nothing speaks against the claim. */
export async function deniedClaim(
  { store }: EngineContext,
  run: string,
  { action, list, item }: Claimed,
  standing: Standing | undefined,
): Promise<DeniedClaim | undefined> {
  const row = await store.readItem(run, list, textOf(item["id"] ?? ""));
  const reason = row?.reason ?? "It is still there.";
  if (row?.status === "failed") return { became: "failed", item, reason };
  const again = standing?.kind === "action" && standing.action.step === action.step && standing.action.id !== action.id;
  return again ? { became: "open", item, reason } : undefined;
}
