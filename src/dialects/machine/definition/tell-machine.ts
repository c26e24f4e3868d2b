import { shorten } from "../../../base/index.ts";
import { withoutHoles, type Told } from "../../../source/index.ts";
import { everyState, type MachineDefinition, type StateDefinition } from "./machine-definition.ts";

/** A machine for people who have not seen one: what its authors call its states, without what leads from one to another. */
export function tellMachine({ states, done, roles }: MachineDefinition): Told {
  const shown = Object.values(states).filter(isWork);
  const loops = everyState(states).flatMap(({ repair }) => (repair === undefined ? [] : [repair]));
  const gates = everyState(states).flatMap(({ steps }) => steps.flatMap((step) => (step.step === "gate" ? [step.gate] : [])));
  const asks = everyState(states).flatMap(({ steps }) => steps.flatMap((step) => (step.step === "ask" ? [step.ask] : [])));
  const most = Math.max(0, ...loops.map(({ tries }) => tries));
  return {
    happens: shown.flatMap((state) => [stateText(state), ...insideText(state)]),
    asks: [
      ...gates.map(({ question, passes, choices, changes, allowsCommands }) => {
        const words = [...(passes === undefined ? [] : [passes]), ...Object.keys(choices)].join(" or ");
        const back = changes === undefined ? "" : `, or what to change (${changes.prefix} ...)`;
        return `${plain(question)} Answer ${words}${back}.${allowsCommands ? " The question lists the commands that your answer allows as checks." : ""}`;
      }),
      ...new Set(
        asks.map(
          ({ question, options }) => `${plain(question)} Only if it comes to that: ${options.map(({ value }) => value).join(" or ")}.`,
        ),
      ),
      ...(loops.length === 0
        ? []
        : [`When something is still wrong after ${most} repairs: another way, as it is, less scope, or your advice.`]),
      "Whatever a role says that it cannot decide.",
    ],
    ...(everyState(states).some(({ steps }) => steps.some(({ step }) => step === "checks"))
      ? { runs: ["The checks of the tasks, after you allowed them with your answer; each command is shown there."] }
      : {}),
    ends: `${doneText(done)} The roles are ${Object.keys(roles).join(", ")}; each is a turn of an agent.`,
  };
}

/** What only leads on to another state, and repairs, which come when something is wrong, are left out. */
function isWork({ steps, inner, repair }: StateDefinition): boolean {
  return repair === undefined && (steps.length > 0 || inner !== undefined);
}

function stateText({ title, steps, inner }: StateDefinition): string {
  const who = [...new Set(steps.flatMap((step) => (step.step === "dispatch" ? [step.role] : [])))];
  const by = who.length === 0 ? "" : ` (${who.join(", ")})`;
  return `${title}${by}${inner?.each === undefined ? "" : " For each task:"}`;
}

function insideText({ inner }: StateDefinition): readonly string[] {
  return Object.values(inner?.states ?? {}).flatMap((state) => (isWork(state) ? [` - ${stateText(state)}`] : []));
}

function doneText({ tasks, criteria, report, checks }: MachineDefinition["done"]): string {
  const needs = [
    ...(tasks ? ["all tasks are done"] : []),
    ...(criteria ? ["all criteria are met"] : []),
    ...(checks ? ["all checks pass"] : []),
    ...(report ? ["the report is written"] : []),
  ];
  return needs.length === 0 ? "When its rules hold." : `When ${needs.join(", ")}; never before.`;
}

function plain(text: string): string {
  return shorten(withoutHoles(text).replaceAll(/\s+/g, " ").trim(), 200);
}
