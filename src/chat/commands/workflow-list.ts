import { isWaymarkError } from "../../base/index.ts";
import { whereIs, type Desk } from "../desk.ts";
import { stepsText } from "../step-names.ts";

export async function listWorkflows(desk: Desk): Promise<void> {
  const { catalog } = (await whereIs(desk)).engine.context;
  const listed = (await catalog.list()).filter(({ shadowed }) => !shadowed);
  const broken = listed.filter(({ problems }) => problems > 0);
  const valid = listed.filter(({ problems }) => problems === 0);
  const rest = broken.length === 0 ? "" : `Not valid, see \`waymark validate\`: ${broken.map(({ name }) => name).join(", ")}`;
  if (valid.length === 0) {
    const none = "No workflows found.\n\nCreate workflows in `.archon/workflows/` as YAML files.";
    return desk.say(rest === "" ? none : `${none}\n\n${rest}`);
  }
  let text = "Available Workflows:\n\n";
  for (const { name, description } of valid) text += `**${name}**\n  ${description.trimEnd()}\n${await stepsLine(desk, name)}\n`;
  return desk.say(`${text}${rest}`);
}

/** Empty for a workflow without steps that have names. */
async function stepsLine(desk: Desk, name: string): Promise<string> {
  const { catalog } = (await whereIs(desk)).engine.context;
  try {
    const { program } = await catalog.load(name);
    const steps = program === undefined ? "" : stepsText(program);
    return steps === "" ? "" : `  Steps: ${steps}\n`;
  } catch (error) {
    // It was changed since it was listed.
    if (isWaymarkError(error)) return "";
    throw error;
  }
}

/** Files are read each time they are needed, so that there is nothing to forget. */
export async function reloadWorkflows(desk: Desk): Promise<void> {
  const found = await (await whereIs(desk)).engine.context.catalog.startable();
  await desk.say(`Reloaded ${found.length} workflow(s).`);
}
