/** What an agent does in the bundled `fix-issue`: the first plan is too big, and the first change hides the cause. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { textOf } from "../../src/base/index.ts";
import type { BuiltWorld } from "./built-world.ts";
import { authorsId } from "./handed-out.ts";
import type { Agent } from "./literal-client.ts";
import { decided } from "./role-agents.ts";

/** A project with the issue. */
export const issueFiles: Readonly<Record<string, string>> = {
  ".gitignore": ".waymark/\n.archon/\n*.yaml\n",
  "mean.cjs": "exports.mean = (all) => all.reduce((a, b) => a + b) / all.length;\n",
};
export const issue = "The mean of an empty list throws";

const hides = "exports.mean = () => 0;\n";
const mends = "exports.mean = (all) => (all.length === 0 ? 0 : all.reduce((a, b) => a + b) / all.length);\n";
const check = "node -e 'if (require(\"./mean.cjs\").mean([]) !== 0) process.exit(1)' 2> /dev/null\n";

/** The same as an agent of the kind `script`. */
export const issueScript = JSON.stringify({
  turns: [
    turn("# Reproduce.*`(?<dir>[^`]+)/check.sh`", { "check.sh": check, "reproduction.md": "It throws." }, "reduce has no first value."),
    turn("# Plan.*too big.*`(?<dir>[^`]+)/validate.sh`", { "plan.md": "Small." }, "Smaller."),
    turn("# Plan.*`(?<dir>[^`]+)/validate.sh`", { "plan.md": "Big.", "validate.sh": "node --check mean.cjs\n" }, "Big."),
    { match: 'Checks: passes\\n.*"verdict":"changes"', do: [{ write: { file: "mean.cjs", text: mends } }, { say: "0 for none." }] },
    { match: "# Implement", times: 1, do: [{ write: { file: "mean.cjs", text: hides } }, { say: "Always 0." }] },
    { ...turn("# Review.*`(?<dir>[^`]+)/review.md`", { "review.md": "It hides the cause." }, '{"verdict":"changes"}'), times: 1 },
    turn("# Review.*`(?<dir>[^`]+)/review.md`", { "review.md": "All callers." }, '{"verdict":"pass"}'),
    turn("# Summarise.*`(?<dir>[^`]+)/pull-request.md`", { "pull-request.md": "Mean of nothing is 0" }, "Mean of nothing is 0"),
  ],
});

function turn(match: string, files: Readonly<Record<string, string>>, says: string): object {
  const writes = Object.entries(files).map(([name, text]) => ({ write: { file: `$<dir>/${name}`, text } }));
  return { match, do: [...writes, { say: says }] };
}

/** Leaves the files that a prompt of a chain asks for, and says so. */
export function promptReader(world: BuiltWorld): Agent {
  return {
    answer: () => "",
    work: async ({ id, definition }) => {
      for (const [, path = ""] of textOf(definition["prompt"]).matchAll(/`([^`]*\.archon\/artifacts\/[^`]+\.md)`/g)) {
        const file = resolve(world.folder, path);
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, `What ${authorsId({ id })} found.\n`);
      }
      return { result: `Did ${id}.` };
    },
  };
}

/** The same as a client of Waymark; a person approves the first plan. It looks at the files, as one without a memory must. */
export function issueFixer(world: BuiltWorld): Agent {
  return {
    answer: () => "",
    work: async ({ id, definition }) => {
      const prompt = textOf(definition["prompt"]);
      const artifacts = /`([^`]*\.archon\/artifacts\/[^/`]+)\//.exec(prompt)?.[1] ?? "";
      const leave = async (files: Readonly<Record<string, string>>): Promise<void> => {
        for (const [name, text] of Object.entries(files)) {
          const path = name === "mean.cjs" ? join(world.folder, name) : join(artifacts, name);
          await mkdir(dirname(path), { recursive: true });
          await writeFile(path, text);
        }
      };
      if (id.includes("reproduce")) await leave({ "check.sh": check, "reproduction.md": "It throws." });
      else if (id.includes("plan")) await leave({ "plan.md": "Small.", "validate.sh": "node --check mean.cjs\n" });
      else if (id.includes("implement")) await leave({ "mean.cjs": prompt.includes('"changes"') ? mends : hides });
      else if (id.includes("review")) {
        const passes = (await readFile(join(world.folder, "mean.cjs"), "utf8")) === mends;
        await leave({ "review.md": passes ? "All callers." : "It hides the cause." });
        return { result: { verdict: passes ? "pass" : "changes" } };
      } else await leave({ "pull-request.md": "Mean of nothing is 0" });
      return { result: `Did ${id}.` };
    },
    decide: (reply, step) => decided(world, reply, step, ["approve"]),
  };
}
