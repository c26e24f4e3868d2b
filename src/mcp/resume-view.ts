import type { JsonObject } from "../base/index.ts";
import { taskName, type Position } from "../engine/index.ts";
import { itemCounts } from "../views/index.ts";

type Program = Position["program"];
type Part = Program["parts"][string];

/** Parts of a run that `on_resume` names beside single fields of the state. */
const namedParts = [
  "workflow_metadata",
  "computed_field_definitions",
  "current_raw_state",
  "pending_tasks",
  "historical_data",
  "completed_task_details",
] as const;
type NamedPart = (typeof namedParts)[number];

/**
 * What a fresh conversation gets beside the open step, as the workflow's `on_resume` says. Without `load_from_checkpoint` it is
 * everything but the definitions of computed fields; `exclude` always wins. Nothing of the journal is read.
 */
export function resumeView(
  position: Pick<Position, "program" | "state">,
  flat: JsonObject,
): { readonly state: JsonObject; readonly around: JsonObject } {
  const part = position.program.parts[position.program.main];
  const { load = [], exclude = [] } = part?.onResume ?? {};
  const wanted = (name: NamedPart): boolean =>
    !exclude.includes(name) && (load.length === 0 ? name !== "computed_field_definitions" : load.includes(name));
  const fields = load.filter((name) => !(namedParts as readonly string[]).includes(name));
  const history = historyOf(part);
  const shown = Object.keys(flat).filter((name) => {
    if (exclude.includes(name)) return false;
    if (fields.includes(name)) return true;
    return wanted(history.includes(name) ? "historical_data" : "current_raw_state");
  });
  return {
    state: Object.fromEntries(shown.map((name) => [name, flat[name] ?? null])),
    around: {
      ...(wanted("workflow_metadata") && part !== undefined ? { workflow: `${part.name} ${part.version}` } : {}),
      ...(wanted("computed_field_definitions") ? computedFields(part) : {}),
      ...(wanted("pending_tasks") ? pendingTasks(position) : {}),
      ...(wanted("completed_task_details") ? endedTasks(position) : {}),
    },
  };
}

function computedFields(part: Part | undefined): JsonObject {
  const fields = part?.computed.slice(0, 12).map(({ name, from }) => `${name} from ${from.join(", ")}`) ?? [];
  return fields.length === 0 ? {} : { computed_fields: fields };
}

/** Whether the author chose what is shown. */
export function isChosen({ program }: Pick<Position, "program">): boolean {
  return (program.parts[program.main]?.onResume?.load?.length ?? 0) > 0;
}

/** Fields in which the kernel keeps what happened so far. */
function historyOf(part: Part | undefined): string[] {
  const { completed, failed, retries, lastError, errors } = part?.tracking ?? {};
  return [completed, failed, retries, lastError, errors?.path].flatMap((path) =>
    path === undefined ? [] : [path.replace(/^(raw|state)\./, "")],
  );
}

function pendingTasks({ program, state }: Pick<Position, "program" | "state">): JsonObject {
  const open = Object.values(state.strands).flatMap((strand) => (strand.task === undefined ? [] : [taskName(strand)]));
  const waiting = itemCounts({ program, state }).reduce((sum, list) => sum + list.by.pending, 0);
  if (open.length + waiting === 0) return {};
  return { pending_tasks: { open: open.slice(0, 6), ...(open.length > 6 ? { more_open: open.length - 6 } : {}), waiting } };
}

function endedTasks(position: Pick<Position, "program" | "state">): JsonObject {
  const lists = itemCounts(position);
  const sum = (status: "completed" | "failed" | "skipped"): number => lists.reduce((all, list) => all + list.by[status], 0);
  const [completed, failed, skipped] = [sum("completed"), sum("failed"), sum("skipped")];
  return completed + failed + skipped === 0 ? {} : { ended_tasks: { completed, failed, skipped } };
}
