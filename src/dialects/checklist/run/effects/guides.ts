import type { Json, JsonObject } from "../../../../base/index.ts";
import { textList } from "../checklist-run.ts";
import { findGuides } from "../knowledge-guides.ts";
import { done } from "../../../../engine/index.ts";
import type { Perform } from "./job.ts";

/** Conversion guides between two versions, and the patterns they describe. Steps without a guide are named. */
export const performGuides: Perform = async ({ context, run }) => {
  const { definition, options } = run;
  const upgrade = definition.versionUpgrade;
  const source = textList(options["source_version"])[0] ?? upgrade?.source;
  const target = textList(options["target_version"])[0] ?? upgrade?.target;
  if (source === undefined || target === undefined) {
    const message = "An upgrade needs `source_version` and `target_version` in its options, for example BC21 and BC27.";
    return { outcome: { ok: false, code: "ENGINE_WRONG_INPUTS", message } };
  }
  const found = await findGuides(context.knowledge, {
    source,
    target,
    ...(upgrade === undefined ? {} : { pattern: upgrade.guidePattern, tags: upgrade.guideTags }),
    ...(definition.patterns.topicPattern === undefined ? {} : { named: definition.patterns.topicPattern }),
    searchMarkers: definition.patterns.searchMarkers,
    transformationMarkers: definition.patterns.transformationMarkers,
  });
  return done({
    source: found.source,
    target: found.target,
    steps: [...found.steps],
    without_guide: [...found.withoutGuide],
    guides: found.guides as unknown as readonly JsonObject[],
    patterns: (upgrade?.extractPatterns === false ? [] : found.patterns) as unknown as Json,
    problems: found.problems.map(({ code, message }) => ({ code, message })),
  });
};
