import { child, flagAt, has, isText, listedTexts, textAt, type Complain, type SourceNode } from "../../../../source/index.ts";
import type { VersionUpgrade } from "../checklist-definition.ts";
import { defaults } from "../vocabulary.ts";

export function readUpgrade(root: SourceNode, complain: Complain): VersionUpgrade | undefined {
  const node = child(root, "version_upgrade");
  if (node === undefined) return undefined;
  const source = readVersion(child(node, "source_version"), complain);
  const target = readVersion(child(node, "target_version"), complain);
  if (source !== undefined && target !== undefined && numberOf(source) >= numberOf(target)) {
    complain(child(node, "target_version") ?? node, {
      code: "CHECKLIST_BAD_VERSION",
      message: `The target \`${target}\` is not later than the source \`${source}\`.`,
      fix: "Swap or correct the versions.",
    });
  }
  const pattern = child(node, "conversion_guide_pattern");
  if (isText(pattern) && pattern.value !== "" && !pattern.value.includes("{version}")) {
    complain(pattern, {
      code: "CHECKLIST_BAD_VALUE",
      message: "`conversion_guide_pattern` has no `{version}`, so guides of different steps look the same.",
      fix: `Write it like \`${defaults.guidePattern}\`.`,
    });
  }
  const fromTopics = textAt(child(root, "pattern_discovery"), "source") !== "patterns";
  return {
    ...(source === undefined ? {} : { source }),
    ...(target === undefined ? {} : { target }),
    guidePattern: textAt(node, "conversion_guide_pattern") ?? defaults.guidePattern,
    guideTags: has(node, "conversion_guide_tags") ? listedTexts(node, "conversion_guide_tags").map((tag) => tag.value) : defaults.guideTags,
    inSequence: flagAt(node, "apply_in_sequence") ?? true,
    extractPatterns: flagAt(node, "extract_patterns_from_guides") ?? fromTopics,
  };
}

/** `BC24` from `BC24`, `24` or `24.0`; nothing for null, which means: given at start. */
function readVersion(node: SourceNode | undefined, complain: Complain): string | undefined {
  if (node === undefined || (typeof node.value !== "string" && typeof node.value !== "number")) return undefined;
  const [, number] = /^(?:BC\s*)?(\d{1,3})(?:\.\d+)?$/i.exec(String(node.value).trim()) ?? [];
  if (number !== undefined) return `BC${Number(number)}`;
  complain(node, {
    code: "CHECKLIST_BAD_VERSION",
    message: `\`${String(node.value)}\` is not a version.`,
    fix: "Write it like `BC24`, or `null` to have it given at start.",
  });
  return undefined;
}

function numberOf(version: string): number {
  return Number(version.slice(2));
}
