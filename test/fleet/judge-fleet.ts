import type { Claim } from "./read-claims.ts";
import { claimsAt, partsOfRun, type Played, type PlayOptions } from "./play-fleet.ts";

export interface Verdict {
  readonly held: boolean;
  readonly text: string;
}

/** What the journals say of a play. A claim was ended by a blow when its step was open then and another process took it up. */
export function judgeFleet({ journals, killed, stopped, ...played }: Played, options: PlayOptions): readonly Verdict[] {
  const { runs, claims, reports, strays } = journals;
  const steps = played.runs.length * partsOfRun;
  const lost = runs.filter(({ status }) => status !== "completed").length;
  const missing = steps - reports.size;
  const doubled = [...reports.values()].filter((count) => count > 1).length;
  const withoutDatabase = (from: number, to: number): number =>
    played.crashes.reduce((sum, crash) => sum + Math.max(0, Math.min(to, crash.to) - Math.max(from, crash.from)), 0);
  const byKill = killed.flatMap((blow) => claimsAt(claims, blow).map((claim) => ({ claim, at: blow.at })));
  const byStop = stopped.flatMap((blow) => claimsAt(claims, blow).map((claim) => ({ claim, at: blow.at })));
  const endedByKill = byKill.filter(({ claim }) => claim.takenBy !== undefined);
  const endedByStop = byStop.filter(({ claim }) => claim.takenBy !== undefined);
  const whole = endedByKill.map(({ claim, at }) => (claim.takenBy?.at ?? at) - at);
  const times = endedByKill
    .map(({ claim, at }) => (claim.takenBy?.at ?? at) - at - withoutDatabase(at, claim.takenBy?.at ?? at))
    .toSorted((a, b) => a - b);
  const [median, most] = [quantile(times, 0.5), quantile(times, 0.95)];
  const { leaseMs, pollMs } = options.parts;
  const bound = leaseMs + pollMs + 1000;
  const ended = played.turns.filter((line) => / end m\d+$/.test(line)).length;
  const late = ended - reports.size;
  return [
    {
      held: steps >= 64 && lost + missing === 0,
      text: `${steps} strands of ${played.runs.length} runs: ${lost} runs not completed, ${missing} strands lost`,
    },
    { held: doubled === 0, text: `${doubled} strands were reported twice` },
    {
      held: endedByKill.length >= options.kills && byKill.length === endedByKill.length,
      text: `${endedByKill.length} claims ended by SIGKILL (${options.kills} wanted), ${byKill.length - endedByKill.length} of them never taken over`,
    },
    {
      held: endedByStop.length >= options.stops,
      text: `${endedByStop.length} claims ended by SIGSTOP until the lease was over, then SIGCONT (${options.stops} wanted)`,
    },
    {
      held: strays.length === 0,
      text: `${strays.length} reports counted of a process that no longer held the strand; ${Math.max(0, late)} turns ended after others had them, and changed nothing${strays.map((stray) => `\n      ${stray}`).join("")}`,
    },
    {
      held: times.length > 0 && most < bound,
      text: `take-over p50 ${(median / 1000).toFixed(2)} s, p95 ${(most / 1000).toFixed(2)} s, with the time without a database taken off, the longest with it ${(Math.max(0, ...whole) / 1000).toFixed(2)} s; lease ${leaseMs / 1000} s + poll ${pollMs / 1000} s + 1 s = ${bound / 1000} s`,
    },
    {
      held: played.crashes.length >= options.crashes,
      text: `the database ended with \`immediate\` and started again ${played.crashes.length} times`,
    },
    {
      held: wrongClocksWorked(claims),
      text: `two of the workers had clocks an hour before and an hour behind: ${claims.filter(({ process }) => process !== "").length} claims, none in the wrong order`,
    },
    { held: played.drained.every((code) => code === 0), text: `SIGTERM: workers ended with ${[...new Set(played.drained)].join(", ")}` },
    {
      held: played.doctor.includes("Every journal gives exactly the stored state."),
      text: "waymark doctor: every journal gives exactly the stored state",
    },
  ];
}

/** With one clock that counts, the claims of a strand follow each other, whoever made them. */
function wrongClocksWorked(claims: readonly Claim[]): boolean {
  const last = new Map<string, Claim>();
  for (const claim of claims) {
    const key = `${claim.run}/${claim.strand}`;
    const before = last.get(key);
    if (before !== undefined && (claim.from < before.from || claim.from - before.from > 600_000)) return false;
    last.set(key, claim);
  }
  return true;
}

export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * share) - 1))] ?? Number.NaN;
}
