import { isList, isObject, textOf, type Json } from "../../../base/index.ts";
import type { UpgradeFacts } from "../definition/index.ts";
import type { RunHandle } from "../../../engine/index.ts";
import type { ChecklistRun } from "./checklist-run.ts";
import { sumOf } from "./effects/scan-chunk.ts";

/** Version steps with their guides and how far each is. */
export function upgradeFacts({ state }: RunHandle, { lists, raw }: ChecklistRun): UpgradeFacts | undefined {
  const found = raw["guides"];
  if (!isObject(found)) return undefined;
  const facets = state.lists[lists.files]?.facets ?? {};
  const count = (key: string): { readonly total: number; readonly done: number; readonly skipped: number; readonly open: number } => {
    const by = facets[key];
    if (by === undefined) return { total: 0, done: 0, skipped: 0, open: 0 };
    return {
      total: by.pending + by.in_progress + by.completed + by.skipped + by.failed,
      done: by.completed,
      skipped: by.skipped,
      open: by.pending + by.in_progress,
    };
  };
  const guides = (isList(found["guides"]) ? found["guides"] : []).flatMap((guide) =>
    isObject(guide) ? [{ id: textOf(guide["id"]), title: textOf(guide["title"]), step: textOf(guide["step"]) }] : [],
  );
  const texts = (value: Json | undefined): string[] => (isList(value) ? value.map(String) : []);
  const byStep = sumOf(raw["scan"]).files_by_step;
  const steps = texts(found["steps"]).map((step) => {
    const all = count(`step=${step}`);
    return {
      step,
      guides: guides
        .filter((guide) => guide.step === step)
        .map(({ id, title }) => ({
          id,
          title,
          instances: count(`guide=${id}`).total,
          done: count(`guide=${id}`).total - count(`guide=${id}`).open,
        })),
      instances: all.total,
      files: byStep[step] ?? 0,
      auto: count(`stepdone=${step}|auto`).total,
      byHand: count(`stepdone=${step}|hand`).total,
      skipped: all.skipped,
      open: all.open,
    };
  });
  const current = steps.find((step) => step.open > 0)?.step;
  const completed = steps.flatMap((step) => step.guides).filter((guide) => guide.done >= guide.instances).length;
  return {
    source: textOf(found["source"] ?? ""),
    target: textOf(found["target"] ?? ""),
    ...(current === undefined ? {} : { currentStep: current }),
    steps,
    guidesTotal: guides.length,
    guidesCompleted: completed,
    withoutGuide: texts(found["without_guide"]),
  };
}
