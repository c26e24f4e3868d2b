import type { Claim } from "./read-claims.ts";
import { claimsAt, partsOfRun, turnOf, type Played, type PlayOptions } from "./play-fleet.ts";

export interface Verdict {
  readonly held: boolean;
  readonly text: string;
}

/** What a play must show, from the journals and from what its workers said. */
export function judgeFleet(played: Played, options: PlayOptions): readonly Verdict[] {
  return [
    ...judgeStrands(played),
    ...judgeBlows(played, options),
    judgeClocks(played),
    {
      held: played.crashes.length >= options.crashes,
      text: `the database ended with \`immediate\` and started again ${played.crashes.length} times`,
    },
    { held: played.drained.every((code) => code === 0), text: `SIGTERM: workers ended with ${[...new Set(played.drained)].join(", ")}` },
    {
      held: played.doctor.includes("Every journal gives exactly the stored state."),
      text: "waymark doctor: every journal gives exactly the stored state",
    },
  ];
}

function judgeStrands({ journals, runs, turns }: Played): readonly Verdict[] {
  const { reports, strays } = journals;
  const steps = runs.length * partsOfRun;
  const open = journals.runs.filter(({ status }) => status !== "completed").length;
  const missing = steps - reports.size;
  const doubled = [...reports.values()].filter((count) => count > 1).length;
  const ended = turns.filter((line) => / end m\d+$/.test(line)).length;
  return [
    {
      held: steps >= 64 && journals.runs.length === runs.length && open + missing === 0,
      text: `${steps} strands of ${runs.length} runs: ${open} runs not completed, ${missing} strands lost`,
    },
    { held: doubled === 0, text: `${doubled} strands reported twice, though ${ended} turns of agents came to their ends` },
    {
      held: strays.length === 0,
      text: [`${strays.length} reports counted of a process that did not hold the strand`, ...strays].join("\n      "),
    },
  ];
}

/** A claim was ended by a blow when its step was open then and another process took it up. */
function judgeBlows(
  { journals, killed, stopped, workedOn, refused, crashes }: Played,
  { parts, kills, stops }: PlayOptions,
): readonly Verdict[] {
  const byKill = killed.flatMap((blow) => claimsAt(journals.claims, blow).map((claim) => ({ claim, at: blow.at })));
  const ended = byKill.flatMap(({ claim, at }) => (claim.takenBy === undefined ? [] : [{ at, until: claim.takenBy.at }]));
  const left = byKill.filter(({ claim }) => claim.until === undefined).length;
  const held = stopped.flatMap((blow) => claimsAt(journals.claims, blow));
  const zombies = held.filter((claim) => claim.takenBy !== undefined && workedOn.has(turnOf(claim)));
  const silent = zombies.filter((claim) => !refused.has(turnOf(claim))).map(turnOf);
  const withDatabase = ({ at, until }: { readonly at: number; readonly until: number }): number =>
    crashes.reduce((sum, crash) => sum - Math.max(0, Math.min(until, crash.to) - Math.max(at, crash.from)), until - at);
  const times = ended.map(withDatabase).toSorted((a, b) => a - b);
  const longest = Math.max(...ended.map(({ at, until }) => until - at));
  const most = quantile(times, 0.95);
  const bound = parts.leaseMs + parts.pollMs + 1000;
  return [
    {
      held: ended.length >= kills && left === 0,
      text: `${ended.length} claims ended by SIGKILL (${kills} wanted), ${left} of them never taken over`,
    },
    {
      held: zombies.length >= stops,
      text: `${zombies.length} claims ended by SIGSTOP until the lease was over, then SIGCONT (${stops} wanted)`,
    },
    {
      held: zombies.length > 0 && silent.length === 0,
      text: [`${zombies.length - silent.length} of ${zombies.length} zombies were refused and said so`, ...silent].join("\n      "),
    },
    {
      held: most < bound,
      text: `take-over p50 ${seconds(quantile(times, 0.5))}, p95 ${seconds(most)}, with the time without a database taken off, the longest with it ${seconds(longest)}; lease ${seconds(parts.leaseMs)} + poll ${seconds(parts.pollMs)} + 1 s = ${seconds(bound)}`,
    },
  ];
}

/** With one clock that counts, every claim is of the time of the play, and nobody loses a strand who lives. */
function judgeClocks({ journals, killed, stopped, skewed, from, to }: Played): Verdict {
  const { claims } = journals;
  const elsewhen = claims.filter((claim) => claim.from < from || claim.from > to).length;
  const robbed = claims.filter(({ process, step, takenBy }) => {
    const isHit = [...killed, ...stopped].some((blow) => blow.process === process && blow.at < (takenBy?.at ?? 0));
    return step !== undefined && takenBy !== undefined && !isHit;
  });
  const own = claims.filter(({ process }) => skewed.has(process)).length;
  const text = `two of the workers had clocks an hour ahead and an hour behind, and made ${own} of ${claims.length} claims: ${elsewhen} at another time than the play's, ${robbed.length} taken from a worker that lived`;
  return { held: own > 0 && elsewhen + robbed.length === 0, text: [text, ...robbed.map(shownClaim)].join("\n      ") };
}

function shownClaim(claim: Claim): string {
  return `${turnOf(claim)} by ${claim.takenBy?.process} after ${(claim.takenBy?.at ?? 0) - claim.from} ms`;
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}

export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * share) - 1))] ?? Number.NaN;
}
