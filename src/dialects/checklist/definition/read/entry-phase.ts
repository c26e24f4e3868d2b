import type { EntryDefinition, PhaseDefinition } from "../checklist-definition.ts";

/** A phase in which an agent works on files. */
export function isWorker(phase: PhaseDefinition): boolean {
  return phase.role === "review" || phase.role === "agent";
}

/** Whether an entry can be done in a phase. */
export function fits({ type, by }: Pick<EntryDefinition, "type" | "by">, phase: PhaseDefinition): boolean {
  if (by === "agent") return isWorker(phase);
  return phase.role === "scan" || (type === "validation" && (isWorker(phase) || phase.role === "batch" || phase.role === "verification"));
}

const analysis = /^(?:code[_-]|file[_-]|document[_-])?analy(?:sis|[sz]e)$/i;

/** Where an entry belongs that does not name its phase: the phase of the same name, else the one whose words fit its type. */
export function defaultPhase(
  entry: Pick<EntryDefinition, "id" | "type" | "by">,
  phases: readonly PhaseDefinition[],
): PhaseDefinition | undefined {
  const possible = phases.filter((phase) => fits(entry, phase));
  const same = possible.find((phase) => phase.id === entry.id);
  if (same !== undefined) return same;
  const guided = possible.filter((phase) => phase.role === "review");
  const workers = guided.length > 0 ? guided : possible.filter(isWorker);
  switch (entry.type) {
    case "analysis":
      return entry.by === "engine" ? possible[0] : (workers.find(({ id }) => analysis.test(id)) ?? workers[0]);
    case "topic_application":
      return named(workers, /(?:^|[_-])(?:topics?|specialists?)(?:$|[_-])/i) ?? workers.at(-1);
    case "pattern_instance":
      return named(workers, /(?:^|[_-])(?:convert|conversion|migrat\w+|instances?)(?:$|[_-])/i) ?? workers.at(-1);
    case "validation":
    case "custom":
      return workers.at(-1) ?? possible.at(-1);
  }
}

/** The first phase whose id has such a word, else the first that offers such an action. */
function named(phases: readonly PhaseDefinition[], form: RegExp): PhaseDefinition | undefined {
  return (
    phases.find(({ id }) => form.test(id)) ?? phases.find(({ availableActions }) => availableActions.some((action) => form.test(action)))
  );
}
