/** The built command, driving runs with the fake agent as a user configures it. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fakeAgent } from "../agents/run-turn.ts";
import { openCliBench } from "../process/cli-world.ts";
import { openPackage, type Child, type Package } from "../process/mcp-package.ts";
import { lookInto } from "./look-into.ts";

/** What the fake agent does: a list of { match?, do }, see its own page. */
export type FakeScript = readonly { readonly match?: string; readonly do: readonly object[] }[];

export interface FakeAgent {
  readonly script?: FakeScript;
  /** Further arguments. */
  readonly args?: readonly string[];
  /** Variables, as a configuration names them. */
  readonly env?: readonly string[];
  /** In the place of `node`, with the program and its arguments behind it. */
  readonly start?: readonly string[];
  /** Which of its models, `small` and `large`, a name is. */
  readonly models?: Readonly<Record<string, string>>;
}

export interface DrivenPackage extends Package {
  /** The path of a file outside the workspace that goes with it. */
  beside(name: string): string;
  /** Runs to its end; the last line of its output says how. */
  waymark(args: readonly string[]): Promise<Ended>;
  /** The facts of a run, as `waymark status --json` gives them. */
  status(run: string): Promise<Record<string, unknown>>;
  /** Everything that is recorded of a run, in order. */
  journal(run: string): Promise<readonly JournalLine[]>;
  /** What the agent was asked, in order. */
  prompts(): Promise<readonly { readonly session: string; readonly text: string }[]>;
}

export interface JournalLine {
  readonly by: { readonly name: string; readonly surface: string };
  readonly cause: string;
  // Events are looked into freely by tests.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly events: readonly any[];
}

export interface Ended {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
  /** The run that it speaks of first. */
  readonly run: string;
}

/**
 * Agents are configured by the user, so that none needs a permission; each has what it keeps in files beside the workspace. A person has
 * allowed the workflows.
 */
export async function openDrivenPackage(
  files: Readonly<Record<string, string>>,
  {
    agents,
    allow = [],
    ...settings
  }: Readonly<Record<string, unknown>> & {
    readonly agents: Readonly<Record<string, FakeAgent>>;
    readonly allow?: readonly string[];
  },
): Promise<DrivenPackage> {
  const opened = await openPackage(files);
  const beside = (name: string): string => join(dirname(opened.workspace), name);
  const entries: Record<string, unknown> = {};
  for (const [name, { script, args = [], env = [], start = [process.execPath], models = {} }] of Object.entries(agents)) {
    const own = [`--log=${beside("requests.jsonl")}`, `--state=${beside("sessions")}`, ...args];
    if (script !== undefined) {
      await writeFile(beside(`${name}.json`), JSON.stringify(script));
      own.push(`--script=${beside(`${name}.json`)}`);
    }
    entries[name] = { protocol: "acp", command: [...start, fakeAgent, ...own], env, models, permission: "edit" };
  }
  await mkdir(beside("config"), { recursive: true });
  await writeFile(beside("config/config.yaml"), JSON.stringify({ agents: entries, ...settings }));
  for (const workflow of allow) await allowAsPerson(opened, workflow);
  const waymark = async (args: readonly string[]): Promise<Ended> => endOf(opened.start(args));
  return {
    ...opened,
    beside,
    waymark,
    status: async (run) => JSON.parse((await lookInto(opened, ["status", run, "--json"])).stdout) as Record<string, unknown>,
    journal: async (run) => linesOf((await lookInto(opened, ["journal", run, "--limit", "1000", "--jsonl"])).stdout),
    prompts: async () => {
      const requests = linesOf<AgentRequest>(await readFile(beside("requests.jsonl"), "utf8").catch(() => ""));
      return requests
        .filter(({ method }) => method === "session/prompt")
        .map(({ params }) => ({ session: params.sessionId, text: params.prompt.map(({ text }) => text).join("") }));
    },
  };
}

interface AgentRequest {
  readonly method: string;
  readonly params: { readonly sessionId: string; readonly prompt: readonly { readonly text: string }[] };
}

/** One JSON a line; the last one may be cut off where its writer was killed. */
function linesOf<T>(text: string): T[] {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  return whole.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as T]));
}

async function allowAsPerson({ workspace, command }: Package, workflow: string): Promise<void> {
  const desk = await openCliBench();
  const { code, stderr } = await desk.run(["allow", workflow, "--yes"], { terminal: true, cwd: workspace, env: command([]).env });
  await desk.close();
  if (code !== 0) throw new Error(`waymark allow ${workflow}: ${stderr}`);
}

export async function endOf(child: Child): Promise<Ended> {
  child.process.stdin.end();
  const code = await child.ended;
  const stdout = child.stdout();
  return { code, stdout, stderr: child.stderr(), run: /wf-[\w-]+/.exec(stdout)?.[0] ?? "" };
}

/** A chain of two prompts: a plan that must be left as an artifact, then a plain one. */
export const twoPrompts: Readonly<Record<string, string>> = {
  ".archon/workflows/two.yaml":
    "name: two\ndescription: A plan, then its end.\nsteps: [{ step: plan, artifacts: [plan.md] }, { step: finish }]\n",
  ".archon/steps/plan.md": "Write the plan. Save it to $ARTIFACTS_DIR/plan.md\n",
  ".archon/steps/finish.md": "Finish it.\n",
};

/** Does what the first prompt of `twoPrompts` asks for. */
export const writesPlan = { write: { file: "$<file>", text: "# The plan\n" } };
export const planPrompt = "Save it to (?<file>\\S+)";
