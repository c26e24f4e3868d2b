import { defined } from "../../../../base/index.ts";
import { child, isText, membersOf, quoteList, textAt, type Complain, type SourceNode } from "../../../../source/index.ts";
import { checkUnique } from "../check/check-text.ts";
import type { ApproachDefinition, ApproachId } from "../checklist-definition.ts";
import { answerers, approachIds, approachWords, batchApproaches, upgradeApproaches } from "../vocabulary.ts";

/** What the decision depends on. */
export interface ApproachGround {
  readonly batch: boolean;
  readonly patterns: boolean;
  readonly upgrade: boolean;
}

/** The decision after the scan; none when the file neither has one nor gives reason for one. */
export function readApproach(root: SourceNode, ground: ApproachGround, complain: Complain): ApproachDefinition | undefined {
  const node = child(root, "approach");
  const preset = ground.upgrade && ground.patterns ? upgradeApproaches : ground.batch ? batchApproaches : undefined;
  if (node === undefined) return preset;
  if (!ground.patterns) {
    complain(node, {
      code: "CHECKLIST_WITHOUT_EFFECT",
      message: "`approach` has no effect: without patterns there is nothing to decide after the scan.",
      fix: "Add `pattern_discovery:`, or remove `approach`.",
      at: "key",
    });
    return undefined;
  }
  const listed = membersOf(child(node, "options"));
  checkOptions(listed, ground, complain);
  const options = listed.length === 0 ? (preset ?? batchApproaches).options : listed.flatMap((each) => readOption(each) ?? []);
  return {
    ...defined({ advice: textAt(node, "advice") }),
    options,
    recommended: readRecommended(node, options, complain),
    answerBy: answerers.find((word) => word === textAt(node, "answer_by")) ?? "relay",
  };
}

type Option = ApproachDefinition["options"][number];

/** The node that names the option: it may be alone or in a map with its words. */
function idNode(node: SourceNode): SourceNode | undefined {
  return isText(node) ? node : child(node, "id");
}

function readOption(node: SourceNode): Option | undefined {
  const id = approachIds.find((each) => each === idNode(node)?.value);
  if (id === undefined) return undefined;
  return {
    id,
    label: textAt(node, "label") ?? approachWords[id].label,
    description: textAt(node, "description") ?? approachWords[id].description,
  };
}

function checkOptions(listed: readonly SourceNode[], { upgrade }: ApproachGround, complain: Complain): void {
  checkUnique(listed.map(idNode), "option", complain);
  const step = listed.map(idNode).find((node) => node?.value === "by_version_step");
  if (step === undefined || upgrade) return;
  complain(step, {
    code: "CHECKLIST_WITHOUT_EFFECT",
    message: "`by_version_step` has no effect in a workflow without `version_upgrade`.",
    fix: "Remove the option, or add `version_upgrade:`.",
  });
}

function readRecommended(node: SourceNode, options: readonly Option[], complain: Complain): ApproachId {
  const first = options[0]?.id ?? "apply_auto_first";
  const written = child(node, "recommended");
  if (!isText(written)) return first;
  const found = options.find((option) => option.id === written.value);
  if (found !== undefined) return found.id;
  const ids = options.map((option) => option.id);
  if ((approachIds as readonly string[]).includes(written.value))
    complain(written, {
      code: "CHECKLIST_BAD_VALUE",
      message: `\`${written.value}\` is recommended, but not one of the options.`,
      fix: `Recommend ${quoteList(ids, "or")}.`,
    });
  return first;
}
