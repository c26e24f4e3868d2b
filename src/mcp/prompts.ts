import { completable, type McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { jsonOrText, type JsonObject } from "../base/index.ts";
import { runs, type EngineContext } from "../engine/index.ts";
import type { DialectTools } from "./tool.ts";

/** What a client may tell its model about this server as a whole; each tool's description is enough alone as well. */
export function serverInstructions(workspace: string, dialects: readonly DialectTools[]): string {
  return [
    "Waymark leads you through a workflow one step at a time and keeps its place.",
    "1. workflow_list and workflow_route show workflows, workflow_info inputs. workflow_start gives a run_id and the first step.",
    "2. Do exactly what the step says, nothing more. Then call workflow_progress with its action_id and the result; the reply is the next step.",
    "3. Every reply names the next call. When the status is completed, call workflow_complete and tell the user the result.",
    "A step parallel_tasks: start one sub-agent per task; each drives its own task_id with workflow_next and workflow_progress.",
    ...dialects.flatMap(({ instruction }) => instruction ?? []),
    "A question marked for a person is not yours to answer: show it with its command.",
    "If your context runs low, call workflow_checkpoint and give the user its text. In a new conversation, workflow_resume continues.",
    "If a call fails, do what its error says; nothing is lost.",
    `Workspace: ${workspace}`,
  ].join("\n");
}

/** Values that one completion may give. */
const most = 100;

const duties = [
  "You carry the steps out; Waymark decides which one comes next. Follow the instructions in the replies of its tools: I ask for that.",
  "- Do each step exactly as it says, then report it with workflow_progress; its reply is the next step.",
  "- agent_shell_command: run the command yourself and report its output. mcp_call: call that tool and report what it returns.",
  "- user_message: show me the text word for word. user_input: ask me and report my answer as I gave it.",
  "- parallel_tasks: start a sub-agent for every task at once and wait until all have ended, then call workflow_next.",
  "- A question that only a person may answer: show it to me with its command. Never answer it for me.",
  "- When your context is nearly full, call workflow_checkpoint and show me the text it gives.",
  "- When the status is completed, call workflow_complete and summarise the result for me. If something fails, tell me what and why.",
].join("\n");

/**
 * The text behind the `workflow` command. Clients hand arguments over in pieces, or as `$1` to be filled in later, so everything is
 * taken as the words of one command and nothing is refused.
 */
export function workflowPrompt(words: readonly (string | undefined)[]): string {
  const command = words
    .map((word) => word?.trim() ?? "")
    .filter((word) => word !== "")
    .join(" ");
  return [`Use the Waymark tools to do this: \`workflow ${command}\``.replace(/ `$/, "`"), taskFor(command), duties].join("\n\n");
}

function taskFor(command: string): string {
  const [first = "", second = "", ...rest] = command.split(/\s+/);
  if (command.includes("$")) return general;
  if (first === "" || first === "list") return "Call workflow_list and show me what there is. Start nothing.";
  if (first === "resume" && second !== "")
    return `Call workflow_resume with run_id ${JSON.stringify(second)}, then continue from the step it gives.`;
  if (first === "status")
    return `Call workflow_status${second === "" ? "" : ` with run_id ${JSON.stringify(second)}`} and tell me where things are. Change nothing.`;
  if (second === "info") return `Call workflow_info with workflow ${JSON.stringify(first)} and explain it to me. Start nothing.`;
  if (second === "start" || second === "") {
    const inputs = JSON.stringify(inputsOf(rest));
    return `Call workflow_info with workflow ${JSON.stringify(first)} to learn its inputs. I give these: ${inputs}. Ask me for required ones that are missing, then call workflow_start and carry the run through to its end.`;
  }
  return general;
}

const general = [
  "It means one of these:",
  "- `list`: call workflow_list and show me what there is",
  "- `<name> info`: call workflow_info and explain the workflow",
  "- `<name> start --input key=value ...`: call workflow_info, then workflow_start with these inputs, and carry the run through to its end",
  "- `resume <run id>`: call workflow_resume and continue from the step it gives",
  "- `status <run id>`: call workflow_status and tell me where the run is",
].join("\n");

/** `--input key=value`, `--input=key=value` and bare `key=value`; values that are JSON keep their type. */
function inputsOf(words: readonly string[]): JsonObject {
  const pairs = words.flatMap((word) => [...word.replace(/^--inputs?=?/, "").matchAll(/^([^=\s]+)=(.*)$/g)]);
  return Object.fromEntries(pairs.map(([, name = "", text = ""]) => [name, jsonOrText(text)]));
}

export function subAgentPrompt(task: string | undefined, run: string | undefined): string {
  const of = `{"run_id":${JSON.stringify(run ?? "<run id>")},"task_id":${JSON.stringify(task ?? "<task id>")}}`;
  return [
    `You carry out one task of a larger workflow: task ${task ?? "<task id>"} of the Waymark run ${run ?? "<run id>"}. Waymark knows the plan; you do one step of it at a time.`,
    `1. Call workflow_next with ${of}.`,
    "2. Do exactly what the step says, nothing before it and nothing beyond it.",
    "3. Report it with workflow_progress as the reply says, also when it failed; then say why. The reply is your next step.",
    "4. Continue until the status is task_done. Then stop, and give a summary of one or two sentences.",
    "Do not take over other tasks and do not guess what comes next.",
  ].join("\n");
}

export function registerPrompts(server: McpServer, engine: EngineContext): void {
  const names = async (begun: string): Promise<string[]> => {
    const listed = (await engine.catalog.list()).filter((entry) => !entry.shadowed).map((entry) => entry.name);
    return startingWith(["list", "resume", "status", ...listed], begun);
  };
  const runIds = async (begun: string): Promise<string[]> => {
    const ids = (await runs(engine, { limit: most })).map((run) => run.id);
    return startingWith(ids, begun);
  };
  const targets = async (begun: string): Promise<string[]> => startingWith(["info", "start", ...(await runIds(begun))], begun);
  server.registerPrompt(
    "workflow",
    {
      description: "List, explain, start or resume a workflow.",
      argsSchema: z.object({
        action: completable(z.string().describe("list, status, resume, or a workflow name"), names).optional(),
        target: completable(z.string().describe("info or start; a run id after resume and status"), targets).optional(),
        inputs: z.string().optional().describe("key=value ..."),
      }),
    },
    ({ action, target, inputs }) => asUser(workflowPrompt([action, target, inputs])),
  );
  server.registerPrompt(
    "sub-agent",
    {
      description: "Carry out one task of a run.",
      argsSchema: z.object({ task_id: z.string().optional(), run_id: completable(z.string(), runIds).optional() }),
    },
    ({ task_id, run_id }) => asUser(subAgentPrompt(task_id, run_id)),
  );
}

export function startingWith(values: readonly string[], begun: string): string[] {
  return [...new Set(values)].filter((value) => value.toLowerCase().startsWith(begun.toLowerCase())).slice(0, most);
}

function asUser(text: string): { messages: { role: "user"; content: { type: "text"; text: string } }[] } {
  return { messages: [{ role: "user", content: { type: "text", text } }] };
}
