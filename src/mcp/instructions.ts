/** What a client may tell its model about this server as a whole; each tool's description stands alone as well. */
export function serverInstructions(workspace: string): string {
  return [...instructions, `Workspace: ${workspace}`].join("\n");
}

const instructions = [
  "Waymark leads you through a workflow one step at a time and keeps its place.",
  "1. workflow_list shows what there is, workflow_info the inputs. workflow_start gives a run_id and the first step.",
  "2. Do exactly what the step says, nothing more. Then call workflow_progress with its action_id and the result; the reply is the next step.",
  "3. Every reply names the next call. Go on until the status is completed, then call workflow_complete and tell the user the result.",
  "A step parallel_tasks: start one sub-agent per task; each drives its own task_id with workflow_next and workflow_progress.",
  "A checklist gives next_action: do that, then make next_call with what fill_in names. workflow_batch settles many instances at once.",
  "A question marked for a person is not yours to answer: show it with its command.",
  "If your context runs low, call workflow_checkpoint and give the user its text. In a new conversation, workflow_resume continues.",
  "If a call fails, do what its error says; nothing is lost.",
];
