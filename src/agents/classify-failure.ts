import type { AgentErrorKind } from "../ports/index.ts";

/** Why a turn failed. */
export interface Failure {
  readonly kind: AgentErrorKind;
  readonly text: string;
  readonly resetAt?: number;
}

/** Ends a turn with a failure that is known already. */
export class TurnFailed extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.text);
    this.failure = failure;
  }
}

const signs: readonly (readonly [AgentErrorKind, RegExp])[] = [
  ["limit", /\b429\b|rate.?limit|usage limit|quota|too many requests|insufficient_quota|credit balance|out of credits/i],
  ["auth", /\b40[13]\b|unauthori[sz]ed|auth(?:entication)?[ _-]?(?:is )?required|not logged in|log ?in\b|api key|invalid.{0,10}token/i],
  ["overloaded", /\b(?:529|503)\b|overloaded|temporarily unavailable|server is busy/i],
  ["transport", /ECONN\w+|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EPIPE|socket hang up|fetch failed|network|\b50[024]\b|connection closed/i],
  ["refused", /refus(?:ed|al)|content policy|safety/i],
];

/** Words that vendors use for the category of a typed failure. */
const categories: Readonly<Record<string, AgentErrorKind>> = {
  limit: "limit",
  rate_limit: "limit",
  quota: "limit",
  billing: "limit",
  auth: "auth",
  authentication: "auth",
  authorization: "auth",
  overloaded: "overloaded",
  server: "overloaded",
  network: "transport",
  connection: "transport",
  transport: "transport",
  timeout: "timeout",
  refusal: "refused",
};

/** What a message of failure means; a category that the agent gives counts before its words. */
export function classifyFailure(text: string, now: number, category?: string): Failure {
  const kind = categories[category ?? ""] ?? signs.find(([, sign]) => sign.test(text))?.[0] ?? "unknown";
  const resetAt = kind === "limit" ? resetTime(text, now) : undefined;
  return resetAt === undefined ? { kind, text } : { kind, text, resetAt };
}

/** The failure that counts: what only a person can change before what may pass, and what is known before what is not. */
export function worse(one: Failure | undefined, other: Failure | undefined): Failure | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return weight(other) > weight(one) ? other : one;
}

function weight({ kind, resetAt }: Failure): number {
  const fatal = kind === "limit" || kind === "auth" || kind === "setup" || kind === "refused" || kind === "lost";
  return (fatal ? 4 : kind === "unknown" ? 0 : 2) + (resetAt === undefined ? 0 : 1);
}

/**
 * A limit that an agent reports as its whole answer, as if it were one. Only the sentences that agents' programs write, so that an
 * answer about limits is not taken for one.
 */
export function limitInText(text: string): boolean {
  return (
    text.length < 500 &&
    /^\W*(?:you(?:'|’)?ve|you have) (?:hit|reached) your .{0,20}limit|^\W*(?:error: *)?(?:exceeded retry limit.*)?\b429\b|usage limit reached/i.test(
      text,
    )
  );
}

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** When a limit ends: a moment, seconds since 1970 behind a bar, or a time from now. */
function resetTime(text: string, now: number): number | undefined {
  const [moment] = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)/.exec(text) ?? [];
  if (moment !== undefined) return Date.parse(moment);
  const [, seconds] = /\|(\d{10})\b/.exec(text) ?? [];
  if (seconds !== undefined) return Number(seconds) * 1000;
  const [, wait] = /\b(?:in|after):? ((?:\d+(?:\.\d+)? ?(?:d|h|m|s)[a-z]*[ ,]*(?:and )?)+)/i.exec(text) ?? [];
  if (wait === undefined) return undefined;
  const parts = [...wait.matchAll(/(\d+(?:\.\d+)?) ?(ms|[dhms])/gi)];
  return (
    now +
    parts.reduce(
      (sum, [, count, unit = ""]) => sum + Number(count) * (unit.toLowerCase() === "ms" ? 1 : (units[unit.toLowerCase()] ?? 0)),
      0,
    )
  );
}
