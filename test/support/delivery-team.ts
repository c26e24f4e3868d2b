/** What fake agents do as the roles of a delivery. */
import type { JsonObject } from "../../src/base/index.ts";
import type { FakeScript } from "./driven-package.ts";
import { acceptance, architecture, passes, plan, reported, reportText, spec } from "./scripted-team.ts";

const check = 'import { slug } from "./src/slug.mjs";\nif (slug("A b") !== "a-b") process.exit(1);\n';
export const slug = 'export const slug = (title) => title.toLowerCase().replaceAll(" ", "-");\n';
export const deliveryProject: Readonly<Record<string, string>> = {
  "check.mjs": check,
  "README.md": "# Slugs\n",
  "AGENTS.md": "Use ES modules.\n",
  "package.json": '{"type":"module"}\n',
};

/** What a role does that is dispatched, found by its name in the prompt. It reads the first file that it is to read, if there is one. */
export function plays(role: string, files: Readonly<Record<string, string>>, result: JsonObject, also = ""): FakeScript[number] {
  const facts = [
    '[\\s\\S]*"session":"(?<session>[^"]+)"',
    '[\\s\\S]*"run_id":"(?<run>[^"]+)","action_id":"(?<action>[^"]+)"',
    '(?:[\\s\\S]*?"(?:instructions":|context_files":\\[)"(?<read>[^"]+)")?',
    also,
  ];
  return {
    match: `You are ${role}\\.${facts.map((fact) => `(?=${fact})`).join("")}`,
    do: [
      { tool: { name: "read", kind: "read", input: { path: "$<read>" } } },
      ...Object.entries(files).map(([file, text]) => ({ write: { file, text } })),
      { call: { tool: "workflow_progress", with: { run_id: "$<run>", action_id: "$<action>", result } } },
    ],
  };
}

const spoken = { "$<session>/spec.md": spec, "$<session>/acceptance.json": acceptance };
const tested = { test_results: { passed: 1, failed: 0, skipped: 0, output: "ok" }, coverage_gaps: [] };
const coded = { patch_summary: ["slugs"], files_changed: ["src/slug.mjs"] };
/** Who plays every role of a delivery well. */
export const deliveryTeam: FakeScript = [
  plays("SpecAgent", { ...spoken, "$<session>/tasks.yaml": plan(["T-001"]) }, reported("OK", "Specified."), '[\\s\\S]*"lean":true'),
  plays("SpecAgent", spoken, reported("OK", "Specified.")),
  plays("Architect", { "$<session>/architecture.md": architecture }, reported("OK", "Designed.")),
  plays("Planner", { "$<session>/tasks.yaml": plan(["T-001"]) }, reported("OK", "Planned.")),
  plays("Coder", { "src/slug.mjs": slug }, reported("OK", "Coded.", { artifacts: coded })),
  plays("Reviewer", {}, passes()),
  plays("QA", {}, reported("OK", "Tested.", { artifacts: tested })),
  plays("Security", {}, reported("OK", "Nothing found.")),
  plays("Integrator", {}, reported("OK", "Green.", { artifacts: { ci_notes: [] } })),
  plays("Docs", { "$<session>/report.md": reportText }, reported("OK", "Documented.")),
];
