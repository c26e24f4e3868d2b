import {
  withoutPart,
  type CallingSet,
  type ExpressionChecker,
  type LoweredWorkflow,
  type SourceFile,
  type WorkflowInfo,
} from "../../../source/index.ts";
import { loadSteps } from "./load-steps.ts";

/** Steps may call workflows of other dialects: a stand-in takes their place, so that what the step says about them is checked. */
export function loadCalling({ called, within: _within, ...set }: CallingSet, checker?: ExpressionChecker): LoweredWorkflow {
  const standIns = Object.fromEntries(Object.entries(called).map(([name, info]) => [name, standIn(name, info)]));
  const own = loadSteps({ ...set, workflows: { ...set.workflows, ...standIns } }, checker);
  if (own.program === undefined) return own;
  const program = Object.keys(called).reduce((left, name) => withoutPart(left, name), own.program);
  return { ...own, program };
}

function standIn(name: string, { path, description, inputs }: WorkflowInfo): SourceFile {
  const declared = Object.fromEntries(
    Object.entries(inputs).map(([key, { type, description: about = key, default: preset, required }]) => [
      key,
      { type: type === "any" ? "object" : type, description: about, required, ...(preset === undefined ? {} : { default: preset }) },
    ]),
  );
  const steps = [{ id: "stand_in", type: "user_message", message: "-" }];
  return {
    path,
    text: JSON.stringify({ name, description: description === "" ? name : description, version: "1.0.0", inputs: declared, steps }),
  };
}
