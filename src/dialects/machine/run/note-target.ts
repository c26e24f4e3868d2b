import { nearest } from "../../../base/index.ts";
import { refused, type At } from "../../../engine/index.ts";
import { everyState, type MachineDefinition } from "../definition/index.ts";
import type { MachineConfig } from "./machine-run.ts";
import { taskRows } from "./session-folder.ts";

/** Where a machine's tasks are not known yet, ids of this form may come. */
const taskForm = /^[A-Za-z]+-\d+$/;
const wholeSession = "meta";
const mostShown = 40;

/** Refuses a message for a state, role, task or step that a machine does not have: it would wait forever. */
export async function checkNoteTarget({ engine, handle, definition }: At<MachineConfig>, target: string): Promise<void> {
  const { roles, states } = definition.definition;
  const tasks = (await taskRows(engine, handle.id, definition.tasks)).map(({ task }) => task.id);
  const isTask = (id: string): boolean => tasks.includes(id) || (tasks.length === 0 && taskForm.test(id));
  const ofAgents = everyState(states).flatMap(({ steps }) => steps.flatMap((step) => (step.step === "task" ? [step.task.name] : [])));
  const known = [...Object.keys(roles), ...ofAgents, ...tasks, ...stateNames(states)];
  if (known.includes(target) || isTask(target)) return;
  const [role = "", id = "", ...others] = target.split(":");
  if (Object.hasOwn(roles, role) && others.length === 0 && (id === wholeSession || isTask(id))) return;
  const names = [...new Set(known)];
  const more = names.length > mostShown ? ` and ${names.length - mostShown} more` : "";
  const listed = `${names.slice(0, mostShown).join(", ")}${more}`;
  const near = nearest(target.slice(0, 60), known, 1)[0];
  throw refused(
    "ENGINE_BAD_VALUE",
    `\`${handle.state.workflow}\` has no state, role, task or step \`${target}\` that a message could wait for.`,
    `${near === undefined ? "" : `Did you mean \`${near}\`? `}Name one of ${listed}, or nothing for the next step.`,
  );
}

function stateNames(states: MachineDefinition["states"]): string[] {
  return Object.entries(states).flatMap(([name, { shownAs, inner }]) => [
    name,
    ...(shownAs === undefined ? [] : [shownAs]),
    ...(inner === undefined ? [] : stateNames(inner.states)),
  ]);
}
