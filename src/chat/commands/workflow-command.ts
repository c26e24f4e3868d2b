import { isWaymarkError, nearest } from "../../base/index.ts";
import { requireRight, whereIs, workplaceOf, type Desk } from "../desk.ts";
import { refusal } from "../codes.ts";
import { startRun } from "../start-run.ts";
import { route } from "../../router/index.ts";
import { wordsOf, type ParsedCommand } from "../parse-command.ts";
import type { Command, Rest } from "./command.ts";
import { approve, reject } from "./decide-commands.ts";
import { cancelRun, resumeRun, showRuns } from "./run-commands.ts";
import { listWorkflows, reloadWorkflows } from "./workflow-list.ts";

type Sub = (desk: Desk, rest: Rest) => Promise<void>;

const subs: Readonly<Record<string, Sub>> = {
  list: listWorkflows,
  ls: listWorkflows,
  reload: reloadWorkflows,
  run: runWorkflow,
  status: showRuns,
  cancel: cancelRun,
  approve,
  reject,
  resume: resumeRun,
};

const usage = `Usage:
  /workflow list - Show available workflows
  /workflow reload - Reload workflow definitions
  /workflow run <name> <what you want> - Start a workflow
  /workflow status [run] - Show the runs of this conversation
  /workflow cancel [run] - Cancel a run
  /workflow approve [run] [question] [choice or reason] - Answer a question
  /workflow reject [run] [question] [reason] - Reject what a question asks
  /workflow resume [run] - Continue a run that failed or is parked`;

export const workflowCommand: Command = {
  name: "workflow",
  help: [
    "Workflows:",
    "  /workflow list - Show available workflows",
    "  /workflow reload - Reload workflow definitions",
    "  Note: Workflows are YAML files in .archon/workflows/",
    ...usage.split("\n").slice(3),
  ],
  run: async (desk, { rest }: ParsedCommand) => {
    const [, word = "", text = ""] = /^(\S*)([^]*)$/.exec(rest) ?? [];
    const sub = Object.hasOwn(subs, word.toLowerCase()) ? subs[word.toLowerCase()] : undefined;
    if (sub !== undefined) return sub(desk, { text: text.trim(), words: wordsOf(text) });
    // Without a codebase that is said first, as the format has it.
    await workplaceOf(desk);
    const [near] = nearest(word, Object.keys(subs));
    await desk.say(near === undefined || word === "" ? usage : `Did you mean \`/workflow ${near}\`?\n\n${usage}`);
  },
};

async function runWorkflow(desk: Desk, { text }: Rest): Promise<void> {
  requireRight(desk, "start");
  const [, quoted, plain = "", intent = ""] = /^(?:["']([^"']*)["']|(\S*))([^]*)$/.exec(text) ?? [];
  const workflow = quoted ?? plain;
  if (workflow === "")
    throw refusal("CHAT_USAGE", "Which workflow is to be started? Nothing was started.", "Write `/workflow run <name> <what you want>`.");
  const { catalog } = (await whereIs(desk)).engine.context;
  const workflows = await catalog.startable();
  const routed = await route({ message: desk.message.text, workflows, command: { workflow, text: intent.trim() } });
  // A name with errors is named with them.
  if (routed.kind === "route") return startRun(desk, routed.workflow, routed.intent);
  await catalog.loadValid(workflow).catch((error: unknown) => {
    if (!isWaymarkError(error) || error.code !== "ENGINE_NO_WORKFLOW") throw error;
    // Where it was searched is the business of who runs Waymark.
    const [near] = routed.candidates;
    const meant = near === undefined ? "" : `Did you mean \`${near.workflow}\`? `;
    throw refusal(
      "CHAT_NO_WORKFLOW",
      `There is no workflow \`${workflow}\`. Nothing was started.`,
      `${meant}Write \`/workflow list\` for all.`,
    );
  });
}
