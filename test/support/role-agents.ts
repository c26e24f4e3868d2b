/** Teams of roles and the bot of the examples: who plays them, and the person who answers at a terminal. */
import { join } from "node:path";
import { isObject, textOf, type JsonObject } from "../../src/base/index.ts";
import type { ToolReply } from "../process/mcp-client.ts";
import type { BuiltWorld } from "./built-world.ts";
import { authorsId } from "./handed-out.ts";
import type { Agent, Step } from "./literal-client.ts";
import { listOf } from "./whole-data.ts";
import { wordsOf } from "./literal-lines.ts";
import type { MachineWorld, Play } from "./machine-world.ts";
import { goodTeam, reported } from "./scripted-team.ts";
import { readTree } from "./seed-examples.ts";

export interface RolesCase {
  readonly workflow: string;
  readonly files: () => Promise<Record<string, string>>;
  readonly inputs: JsonObject;
  readonly cast: Readonly<Record<string, Play>>;
}

const ignored = { ".gitignore": ".agents-work/\n.waymark/\n" };
const confirmed = { no_interpretation: true, few_files: true, no_architecture: true, no_ui: true, no_security: true, short_work: true };
const tested = goodTeam["QA"] as Play;

/** Writes a source file and says so. */
const writes =
  (path: string, text: string): Play =>
  async (_dispatch, world) => {
    await world.write(path, text);
    return reported("OK", "Written.", { artifacts: { patch_summary: ["written"], files_changed: [path] } });
  };

const findings = "# Bug\n\n## Cause\n\nAn empty list is divided by 0.\n\n## Evidence\n\nmean([]) is NaN.\n\n## Proposed fix\n\nReturn 0.\n";
const proof = `cmd: node -e "import('./src/mean.mjs').then((m) => process.exit(m.mean([]) === 0 ? 0 : 1))"`;
const triage: Play = async (dispatch, world) => {
  const folder = textOf(dispatch["session"]);
  await world.write(`${folder}/findings.md`, findings);
  const criteria = [{ id: "AC-001", description: "the mean of nothing is 0", verify: [proof] }];
  await world.write(`${folder}/acceptance.json`, `${JSON.stringify({ acceptance_criteria: criteria })}\n`);
  return reported("OK", "Found.");
};

export const rolesCases: readonly RolesCase[] = [
  {
    workflow: "delivery",
    files: async () => ({
      ...ignored,
      "check.mjs": 'import { slug } from "./src/slug.mjs";\nprocess.exit(slug("A b") === "a-b" ? 0 : 1);\n',
      "package.json": '{"type":"module"}\n',
    }),
    inputs: { request: "Fix the slugs", mode: "lean", confirmed },
    cast: { ...goodTeam, Coder: writes("src/slug.mjs", 'export const slug = (title) => title.toLowerCase().replaceAll(" ", "-");\n') },
  },
  {
    workflow: "bug-triage",
    files: async () => ({ ...ignored, ...(await readTree(join(import.meta.dirname, "../../examples/bug-triage"))) }),
    inputs: { request: "The mean of an empty list is NaN" },
    cast: {
      Triager: triage,
      Fixer: writes("src/mean.mjs", "export const mean = (list) => list.reduce((a, b) => a + b, 0) / (list.length || 1);\n"),
      Verifier: tested,
    },
  },
];

/** Plays the roles; the person approves, and allows the commands. */
export function team(world: BuiltWorld, cast: Readonly<Record<string, Play>>): Agent {
  return {
    answer: () => "",
    work: async ({ definition }) => {
      const play = cast[textOf(definition["role"])];
      if (play === undefined) return { error: `Nobody plays ${textOf(definition["role"])}` };
      return { result: (await play(definition, world as unknown as MachineWorld)) as JsonObject };
    },
    decide: (reply, step) => decided(world, reply, step, ["approved", "allow"]),
  };
}

/** Does every action of a bot in a few words; the person says that it is done. What was interrupted is done again. */
export function botUser(world: BuiltWorld): Agent {
  return {
    answer: () => "retry",
    work: (step) => {
      const area = authorsId(step).endsWith("initialize_project") ? { project_area: "docs" } : {};
      return { result: { summary: `Did ${authorsId(step)}.`, ...area } };
    },
    decide: (reply, step) => decided(world, reply, step, ["done"]),
  };
}

/** Runs the command that the reply has for a person, with the first of these answers that the question offers or leaves open. */
export async function decided(
  world: BuiltWorld,
  { data, text }: ToolReply,
  { definition }: Step,
  answers: readonly string[],
): Promise<void> {
  const offered = listOf(definition["options"]).map((option) => (isObject(option) ? textOf(option["value"]) : textOf(option)));
  const chosen = offered.length === 0 ? answers[0] : answers.find((answer) => offered.includes(answer));
  if (chosen === undefined) throw new Error(`The person has no answer: ${text}`);
  await world.person([...wordsOf(data.command_for_person).slice(1), chosen]);
}
