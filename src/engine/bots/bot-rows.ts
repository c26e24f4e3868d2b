import type { Item } from "../../program/index.ts";
import type { BotRun } from "./bot-run.ts";

/** Behaviours and, below them, their actions, in order. What a setting skips is settled at once. */
export function botRows({ definition, lists }: BotRun): Item[] {
  return definition.behaviours.flatMap((behaviour, at) => {
    const order = String(at).padStart(4, "0");
    const row = (more: Pick<Item, "id" | "order" | "data" | "facets"> & Partial<Item>, skip: boolean): Item => ({
      list: lists.actions,
      status: skip ? "skipped" : "pending",
      root: behaviour.name,
      attempts: 0,
      waitsFor: 0,
      ...(skip ? { reason: "setting" } : {}),
      ...more,
    });
    const skipped = behaviour.setting === "skip";
    const actions = behaviour.actions.map((action, place) =>
      row(
        {
          id: `${behaviour.name}.${action.name}`,
          order: `${order}.${String(place).padStart(4, "0")}`,
          parent: behaviour.name,
          data: {
            id: `${behaviour.name}.${action.name}`,
            kind: "action",
            behaviour: behaviour.name,
            action: action.name,
            next: action.next,
            auto: action.autoProgress || action.setting === "combine",
            ...(action.calls === undefined ? {} : { calls: action.calls }),
          },
          facets: { kind: "action", behaviour: behaviour.name },
        },
        skipped || action.setting === "skip",
      ),
    );
    const data = { id: behaviour.name, kind: "behaviour", behaviour: behaviour.name };
    return [row({ id: behaviour.name, order, data, facets: { kind: "behaviour" } }, skipped), ...actions];
  });
}
