import { nothing, plainAction, type LeafArgs, type Leaves, type Run } from "../runtime.ts";
import { textOfExpr } from "./expr-text.ts";
import { performShell } from "./shell.ts";
import { performTool } from "./tool.ts";

const command = (args: LeafArgs): readonly Run[] => [{ kind: "command", text: textOfExpr(args["command"]) }];
const tool = (args: LeafArgs): readonly Run[] => [{ kind: "tool", text: textOfExpr(args["method"]) }];

/** Leaves that programs of every dialect may use. */
export const coreLeaves: Leaves<unknown> = {
  shell: { perform: performShell, runs: command },
  mcp: { perform: performTool, runs: tool },
  // The kernel waits and writes by itself.
  wait: plainAction,
  set: plainAction,
  ask: plainAction,
  user_input: plainAction,
  user_message: plainAction,
  state_update: plainAction,
  apply_hints: plainAction,
  // The agent runs it in its own client, which asks the person itself.
  agent_shell_command: { runs: nothing },
  // The kernel hands it out for a `work` block whose strands sub-agents take.
  parallel_tasks: plainAction,
};
