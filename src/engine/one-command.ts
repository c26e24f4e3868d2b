import type { EngineContext, Runs } from "./context.ts";

/**
 * The engine as one command works with it: each run is opened once. From then on its handle follows what this process decides, and is
 * brought up to date where the command waits or loses a race. `turns` counts what the command has waited for outside the engine, such as
 * a person's answer: after each of them runs are opened again.
 */
export function oneCommand(context: EngineContext, turns: () => number = () => 0): EngineContext {
  const { runs } = context;
  const opened = new Map<string, ReturnType<Runs["open"]>>();
  let turn = turns();
  const open: Runs["open"] = (id) => {
    if (turn !== turns()) opened.clear();
    turn = turns();
    const held = opened.get(id) ?? runs.open(id);
    opened.set(id, held);
    held.catch(() => opened.delete(id));
    return held;
  };
  return {
    ...context,
    runs: {
      open,
      known: (id) => runs.known(id),
      row: (id) => runs.row(id),
      idOf: (named) => runs.idOf(named),
      program: (hash) => runs.program(hash),
      refresh: (handle) => runs.refresh(handle),
      moved: (...moved) => runs.moved(...moved),
      forget: (id) => {
        opened.delete(id);
        runs.forget(id);
      },
      settle: () => runs.settle(),
      rebuild: (...given) => runs.rebuild(...given),
    },
  };
}
