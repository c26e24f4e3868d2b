import { didYouMean, suggest, textAt, textsAt, type Complain, type SourceNode, type TextNode } from "../../../../source/index.ts";

export interface Conditions {
  readonly after: readonly string[];
  readonly notes: readonly string[];
}

/** Entry conditions of a phase: which phases come before, and texts that only an agent or person can judge. */
export function readConditions(phases: readonly SourceNode[], index: number, complain: Complain): Conditions {
  const after = new Set<string>();
  const notes: string[] = [];
  for (const condition of textsAt(phases[index], "entry_conditions")) {
    if (condition.value.trim() === "") {
      complain(condition, { code: "CHECKLIST_BAD_VALUE", message: "An entry condition is empty.", fix: "Write one, or remove it." });
      continue;
    }
    const { note, phase: id } = readCondition(condition, phases, complain);
    if (note !== undefined) notes.push(note);
    if (id === undefined) continue;
    const place = phases.findIndex((phase) => textAt(phase, "id") === id);
    if (place < index) after.add(id);
    else
      complain(condition, {
        code: "CHECKLIST_PHASE_ORDER",
        message:
          place === index ? `The phase \`${id}\` waits for itself.` : `The phase \`${id}\` comes later, so it cannot be completed before.`,
        fix: place === index ? "Remove the condition." : `Move \`${id}\` up, or remove the condition.`,
      });
  }
  return { after: [...after], notes };
}

const form = /^(?:the\s+)?[`"']?(.+?)[`"']?(?:(\s+phase)?(?:\s+(?:is|has been|must be))?\s+(?:complete|completed|done|finished))?\.?$/i;

/** The phase it is about, or a note. A condition that means a phase but names none is neither. */
function readCondition(
  condition: TextNode,
  phases: readonly SourceNode[],
  complain: Complain,
): { readonly phase?: string; readonly note?: string } {
  const text = condition.value.trim();
  const [, subject = text, phaseWord] = form.exec(text) ?? [];
  const ids = phases.map((phase) => textAt(phase, "id") ?? "").filter((id) => id !== "");
  const same = (a: string | undefined, b: string): boolean => a !== undefined && a.toLowerCase() === b.toLowerCase();
  const named = [subject, text.replace(/[:._-]completed?$/i, "")].flatMap((name) =>
    phases
      .filter((phase) => same(textAt(phase, "id"), name) || same(textAt(phase, "name"), name))
      .map((phase) => textAt(phase, "id") ?? ""),
  )[0];
  if (named !== undefined && named !== "") return { phase: named };
  if (!/\s/.test(text) || (phaseWord !== undefined && !/\s/.test(subject))) {
    complain(condition, {
      code: "CHECKLIST_UNKNOWN_PHASE",
      message: `There is no phase \`${subject}\`.`,
      fix: suggest(subject, ids) ?? "Use the id of a phase.",
    });
    return {};
  }
  complain(condition, {
    code: "CHECKLIST_FREE_CONDITION",
    severity: "warning",
    message: "The engine cannot tell whether this entry condition holds; the agent is shown it when the phase begins.",
    fix: didYouMean(subject, ids) ?? "Write `<phase id> phase completed`, or move the text into `checklist`.",
  });
  return { note: condition.value };
}
