import { botShown } from "../views/index.ts";
import { coreShown } from "../../../views/index.ts";
import { nothing, type EffectLeaf, type Runtime } from "../../../engine/index.ts";
import { whyClosed } from "./bot-position.ts";
import { refuseTakenArea } from "./project-area.ts";
import { botAt, decodeBot, type BotConfig } from "./bot-run.ts";

const effects = ["bot_begin", "bot_record", "bot_submit", "bot_called", "bot_behaviour_done", "bot_jump"] as const;
export type BotEffect = (typeof effects)[number];

/** Effects are loaded with the first one that is performed: runs of other dialects never wait for them. */
function effect(what: BotEffect): EffectLeaf<BotConfig> {
  return {
    runs: nothing,
    ...(what === "bot_jump" && { moves: true }),
    async perform(job) {
      const { botEffects } = await import("./bot-effects.ts");
      return botEffects[what]({ ...job, context: job.engine, run: botAt(job) });
    },
  };
}

export const botsRuntime: Runtime<BotConfig> = {
  decode: decodeBot,
  leaves: {
    ...Object.fromEntries(effects.map((what) => [what, effect(what)])),
    bot_action: {
      runs: nothing,
      returns: true,
      kind: "action",
      show: ({ handle }, open) => botShown(handle, open.action) ?? coreShown(handle, open.action),
      /** Plain words are its summary, as they are in a close. */
      take: async (_at, _action, { result, status }) =>
        status === "failed" || typeof result !== "string" ? undefined : { outcome: { ok: true, value: { summary: result } } },
    },
  },
  async start(engine, { definition }, { project_area: area }) {
    if (typeof area === "string" && area !== "") await refuseTakenArea(engine, { bot: definition.name, area });
  },
  /** The project area is asked for once: a wrong one is refused while it can still be asked for again. */
  async answer({ engine, handle, definition: { definition } }, { step, status }, area) {
    if (step === "project_area" && status === "pending" && typeof area === "string")
      await refuseTakenArea(engine, { bot: definition.name, area, run: handle.id });
    return area;
  },
  whyClosed: ({ engine, handle }, decision) => whyClosed(engine, handle.id, decision),
};
