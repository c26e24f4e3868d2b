import { route, type Routed } from "../../src/router/index.ts";
import type { Utterance } from "./routed-project.ts";

type Workflows = Parameters<typeof route>[0]["workflows"];

export interface RoutingScore {
  /** Utterances that a workflow should take. */
  readonly requests: number;
  readonly routed: number;
  readonly right: number;
  /** Asked about, with the right one among the candidates. */
  readonly asked: number;
  readonly talks: number;
  /** Of what nothing should be started for. */
  readonly startedByTalk: number;
  /** One line for each that did not come out as it should. */
  readonly misses: readonly string[];
}

/** Routes each text by words alone, and counts. */
export async function scoreRouting(utterances: readonly Utterance[], workflows: Workflows): Promise<RoutingScore> {
  const all = await Promise.all(utterances.map(async (each) => ({ ...each, got: await route({ message: each.text, workflows }) })));
  const [requests, talks] = [all.filter(({ wanted }) => wanted !== undefined), all.filter(({ wanted }) => wanted === undefined)];
  const isRight = ({ got, wanted }: (typeof all)[number]): boolean => got.kind === "route" && got.workflow === wanted;
  return {
    requests: requests.length,
    routed: requests.filter(({ got }) => got.kind === "route").length,
    right: requests.filter(isRight).length,
    asked: requests.filter(({ got, wanted = "" }) => got.kind === "ask" && names(got).includes(wanted)).length,
    talks: talks.length,
    startedByTalk: talks.filter(({ got }) => got.kind === "route").length,
    misses: all
      .filter((each) => (each.wanted === undefined ? each.got.kind !== "converse" : !isRight(each)))
      .map(({ text, wanted = "talk", got }) => `${wanted} <- ${got.kind} ${shown(got)}: ${JSON.stringify(text.slice(0, 100))}`),
  };
}

function names({ candidates }: Routed): readonly string[] {
  return candidates.map(({ workflow }) => workflow);
}

function shown({ candidates }: Routed): string {
  return candidates.map(({ workflow, score, why }) => `${workflow} ${score} (${why.join("; ")})`).join(", ");
}
