import { isObject } from "../../../base/index.ts";
import type { PhaseFacts } from "../definition/index.ts";
import { mainStrand, type Frame, type RunState } from "../../../kernel/index.ts";
import type { RunHandle } from "../../../engine/index.ts";
import type { CalledRun, ChecklistRun } from "./checklist-run.ts";

/** The phase that a block of the main strand carries is the one in progress; those before it are completed. */
export function phasesOf({ program, state }: RunHandle, run: ChecklistRun | CalledRun): readonly PhaseFacts[] {
  const { definition, raw } = run;
  const all = framesOf(state, run);
  const call = all.findIndex((frame) => frame.kind === "call");
  const frames = call < 0 ? all : all.slice(0, call);
  const label = frames.map((frame) => program.blocks[frame.block]?.label).findLast((each) => each?.kind === "phase")?.text;
  const inHand = call < 0 ? phaseInHand(state) : undefined;
  const scanned = isObject(raw["scan"]) && raw["scan"]["done"] === true;
  const between = scanned ? definition.phases.find((phase) => phase.role === "review" || phase.role === "batch") : definition.phases[0];
  const named = definition.phases.findIndex((phase) => phase.id === (inHand ?? label ?? between?.id));
  // A workflow is called when all but the summary is done.
  const summary = definition.phases.findIndex((phase) => phase.role === "summary");
  const current = call < 0 ? named : summary < 0 ? definition.phases.length : summary;
  const over = state.status !== "running";
  const passed = "atWork" in run && !run.atWork && !over;
  const approach = raw["approach"];
  return definition.phases.map(({ id, name, mode, required, role }, index) => {
    const skipped = role === "batch" && typeof approach === "string" && approach !== "apply_auto_first";
    const before = passed ? true : over ? state.status === "completed" : current < 0 ? false : index < current;
    const status =
      skipped && (before || index < current)
        ? "skipped"
        : before
          ? "completed"
          : index === current && !over && call < 0
            ? "in_progress"
            : "pending";
    return { id, name, mode, required, status };
  });
}

/** Where the main strand stands in the workflow itself. */
function framesOf(state: RunState, run: ChecklistRun | CalledRun): readonly Frame[] {
  const frames = state.strands[mainStrand]?.frames ?? [];
  const scope = "scope" in run ? run.scope : undefined;
  return scope === undefined ? frames : frames.slice(frames.findIndex((frame) => frame.kind === "call" && frame.scope === scope) + 1);
}

function phaseInHand(state: RunState): string | undefined {
  const items = Object.values(state.actions).flatMap((action) =>
    action.what === "check" && isObject(action.args["item"]) ? [action.args["item"]] : [],
  );
  const phase = items.at(-1)?.["phase"];
  return typeof phase === "string" && phase !== "" ? phase : undefined;
}
