/** The bundled checklists, each on a few files of a sample application, and an agent that looks, decides and changes files. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject, textOf, type Json, type JsonObject } from "../../src/base/index.ts";
import type { Agent } from "./literal-client.ts";
import { listOf } from "./whole-data.ts";
import { readTree } from "./seed-examples.ts";

export interface ChecklistCase {
  readonly sample: "sample-al-app" | "sample-ts-app";
  /** Ends of the paths that the project has. */
  readonly files: readonly string[];
  readonly inputs?: JsonObject;
}

const al: ChecklistCase = {
  sample: "sample-al-app",
  files: ["app.json", "LoyaltyCleanup.Codeunit.al", "LoyaltyCompatibility.Codeunit.al"],
};
const ts: ChecklistCase = { sample: "sample-ts-app", files: ["package.json", "src/legacy.js", "src/encode.ts"] };

export const checklistCases: Readonly<Record<string, ChecklistCase>> = {
  "bc-version-upgrade": { ...al, inputs: { options: { source_version: "BC21", target_version: "BC27" } } },
  "code-review": al,
  "codebase-review": ts,
  "error-to-errorinfo-migration": al,
  onboarding: al,
  "performance-audit": al,
  "proposal-review": { ...al, files: ["README.md"] },
  "security-audit": { ...al, files: ["LoyaltyServiceConnector.Codeunit.al", "LoyaltyLog.Codeunit.al"] },
  "typescript-migration": ts,
};

export async function checklistFiles({ sample, files }: ChecklistCase): Promise<Record<string, string>> {
  const tree = await readTree(join(import.meta.dirname, "../../examples", sample));
  return Object.fromEntries(Object.entries(tree).filter(([path]) => files.some((end) => path.endsWith(end))));
}

/** Puts a suggested fix into the file, leaves the other instances with a reason, and completes every check without a finding. */
export function inspector(folder: string): Agent {
  return {
    work: (step) => ({ error: `A checklist hands out no ${step.type}.` }),
    answer: () => "",
    fill: async (next) => {
      if (next["type"] === "user_decision") return { answer: textOf(next["recommended"] ?? firstOf(next["options"])) };
      if (next["action"] === "judge_instance") return judged(next);
      if (next["action"] === "analyze_file") return { status: "completed", result: "Nothing was found." };
      if (next["action"] !== "convert_instance") return { status: "completed" };
      return (await converts(folder, next)) ? { status: "completed" } : { status: "skipped", skip_reason: "It stays as it is." };
    },
  };
}

/** Every other line is a finding; the rest is dismissed. */
function judged({ line }: JsonObject): JsonObject {
  if (typeof line === "number" && line % 2 === 0) return { status: "dismissed", skip_reason: "It is meant so." };
  return { status: "confirmed", findings: [{ severity: "warning", description: "It is as the pattern says." }] };
}

function firstOf(options: Json | undefined): Json {
  const [first] = listOf(options);
  return isObject(first) ? (first["id"] ?? null) : (first ?? null);
}

async function converts(folder: string, { file, match_text: match, suggested_fix: fix, cut }: JsonObject): Promise<boolean> {
  if (typeof match !== "string" || typeof fix !== "string") return false;
  if (listOf(cut).some((key) => key === "match_text" || key === "suggested_fix")) return false;
  const path = join(folder, textOf(file));
  const text = await readFile(path, "utf8");
  if (!text.includes(match)) return false;
  await writeFile(
    path,
    text.replace(match, () => fix),
  );
  return true;
}
