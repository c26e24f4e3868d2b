import type { AgentErrorKind } from "../ports/index.ts";
import { readResetTime } from "./reset-time.ts";

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

/** What a limit of an account is called, so that the limits of a conversation, a turn or a list are not taken for one. */
const whichLimit = String.raw`(?:(?:usage|rate|request|message|account|session|hourly|daily|weekly|monthly|\d+.?(?:hour|day)|5h|opus|sonnet)s? )+`;
const hitLimit = String.raw`(?:sorry, )?you(?:(?:'|’)ve| have)? (?:hit|reached|exceeded|exhausted) (?:your|a|the)(?: (?!context|turn|length|output|step)[\w.-]+){0,3} (?:limit|quota|capacity)\b`;
/** The sentences in which agents' programs say that an account is at its limit. */
const limitSentences = [
  hitLimit,
  String.raw`${whichLimit}limit (?:has been |was |is )?(?:reached|exceeded|hit)\b`,
  String.raw`(?:free|your) usage exceeded\b`,
].join("|");

/** The first that fits counts: what only a person can change wins over what passes, whatever else the message says. */
const signs: readonly (readonly [AgentErrorKind, RegExp])[] = [
  [
    "auth",
    /(?:^|\b(?:https?|status|error|code|failed|last status)\b[^\w]*(?:code\W*)?)40[123]\b|\b40[123]\W+(?:unauthori[sz]ed|forbidden|payment)|unauthori[sz]ed|\bforbidden\b|(?:authentication|permission|billing)_error|invalid.{0,10}(?:api.?key|credentials)|api key not valid|token has expired|credit balance|(?:out of|insufficient|no) credits|payment required/i,
  ],
  ["limit", new RegExp(String.raw`\b429\b|rate.?limit|usage.?limit|quota|too many requests|resource.exhausted|${limitSentences}`, "i")],
  ["auth", /\b40[13]\b|auth(?:entication)?[ _-]?(?:is )?required|not logged in|log ?in\b|api key|invalid.{0,10}token/i],
  ["overloaded", /\b(?:529|503)\b|overloaded|temporarily unavailable|server is busy/i],
  ["transport", /ECONN\w+|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EPIPE|socket hang up|fetch failed|network|\b50[024]\b|connection closed/i],
  ["refused", /refus(?:ed|al)|content policy|safety/i],
];

/** Words that vendors use for the category of a typed failure. */
const categories: Readonly<Record<string, AgentErrorKind>> = {
  limit: "limit",
  rate_limit: "limit",
  quota: "limit",
  billing: "auth",
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

/**
 * What a message of failure means; a category that the agent gives counts before its words. `zone`: that of times which name none, as the
 * agent's program on this machine writes them.
 */
export function classifyFailure(text: string, now: number, category?: string, zone: string = localZone()): Failure {
  const kind = categories[category ?? ""] ?? signs.find(([, sign]) => sign.test(text))?.[0] ?? "unknown";
  const resetAt = kind === "limit" ? readResetTime(text, { now, zone }) : undefined;
  return resetAt === undefined ? { kind, text } : { kind, text, resetAt };
}

function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The failure that counts: what only a person can change before what may pass, and what is known before what is not. */
export function worse(one: Failure | undefined, other: Failure | undefined): Failure | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return weight(other) > weight(one) ? other : one;
}

function weight({ kind, resetAt }: Failure): number {
  const dated = resetAt === undefined ? 0 : 1;
  if (kind === "auth" || kind === "setup" || kind === "refused" || kind === "lost") return 6;
  return (kind === "limit" ? 4 : kind === "unknown" ? 0 : 2) + dated;
}

const longestLimit = 500;
const limitFirst = new RegExp(
  String.raw`^(?:${hitLimit}|(?:the |claude |claude ai )?${whichLimit}limit (?:has been )?reached(?: for [\w.-]+)?\W*$|(?:exceeded retry limit.*)?\b429\b(?!,? (?:is|was|are|and|in|now)\b))`,
  "i",
);
/** What else such an answer says: when it ends, and what its user may do. */
const limitRest =
  /\breset|\bagain\b|\bupgrade|\busage\b|\blimit|\bquota|\bplan\b|\bcredits\b|\bswitch|\blearn more|\bterms of|\brequest.?id|^\s*\/\w|^[\W\d]*$/i;

/**
 * A limit that an agent reports as its whole answer, as if it were one: a sentence that agents' programs write, and nothing but what
 * belongs to it, so that an answer about limits is not taken for one.
 */
export function limitInText(text: string): boolean {
  const bare = text.trim().replace(/^\W*(?:(?:api )?error\b\W*)*/i, "");
  if (bare.length >= longestLimit) return false;
  // A line that begins with a small letter was only broken there.
  const [first = "", ...others] = bare.replaceAll(/\s*\n\s*(?=[a-z])/g, " ").split(/[.!?](?=\s|$)|[∙·•|\n]/);
  return limitFirst.test(first) && first.length < 200 && others.every((each) => limitRest.test(each));
}
