/** Texts that can be nothing but a secret of a known issuer; the group `secret` is the part to mask, else all of it. */
interface SecretForm {
  readonly type: string;
  /** Lower case; a file without it has none. */
  readonly needles: readonly string[];
  readonly regex: RegExp;
}

const begins = "(?<![A-Za-z0-9_-])";
const ends = "(?![A-Za-z0-9_-])";
const token = (type: string, needles: readonly string[], body: string): SecretForm => ({
  type,
  needles,
  regex: new RegExp(`${begins}${body}${ends}`, "g"),
});

export const secretForms: readonly SecretForm[] = [
  token("aws_key", ["akia", "asia"], "(?:AKIA|ASIA)[A-Z2-7]{16}"),
  token(
    "github_token",
    ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
    "(?:gh[pousr]_[A-Za-z0-9]{36,251}|github_pat_[A-Za-z0-9_]{60,251})",
  ),
  token("gitlab_token", ["glpat-"], "glpat-[\\w-]{20,100}"),
  token("slack_token", ["xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-"], "xox[abprs]-\\d{6,}-[\\w-]{10,200}"),
  token("slack_webhook", ["hooks.slack.com"], "https://hooks\\.slack\\.com/services/T[A-Z0-9]{8,}/B[A-Z0-9]{8,}/[A-Za-z0-9]{20,}"),
  token("stripe_key", ["sk_live_", "rk_live_"], "[rs]k_live_[0-9A-Za-z]{20,247}"),
  token("openai_key", ["sk-"], "sk-(?:proj-|svcacct-|ant-[a-z0-9]+-)?[A-Za-z0-9_-]{40,200}"),
  token("google_oauth", ["gocspx-", "ya29."], "(?:GOCSPX-[\\w-]{28}|ya29\\.[\\w-]{40,})"),
  token("npm_token", ["npm_"], "npm_[A-Za-z0-9]{36}"),
  token("pypi_token", ["pypi-"], "pypi-AgEIcHlwaS5vcmc[\\w-]{50,}"),
  token("sendgrid_key", ["sg."], "SG\\.[\\w-]{22}\\.[\\w-]{43}"),
  token("huggingface_token", ["hf_"], "hf_[A-Za-z]{34}"),
  token("shopify_token", ["shpat_", "shpca_", "shppa_", "shpss_"], "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
  token("telegram_token", [":aa"], "\\d{8,10}:AA[\\w-]{33}"),
  token("digitalocean_token", ["dop_v1_"], "dop_v1_[a-f0-9]{64}"),
  token("docker_token", ["dckr_pat_"], "dckr_pat_[\\w-]{27}"),
  token("json_web_token", ["eyj"], "eyJ[A-Za-z0-9_-]{10,}\\.eyJ[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{20,}"),
  { type: "azure_key", needles: ["accountkey="], regex: /AccountKey=(?<secret>[A-Za-z0-9+/]{86}==)/g },
  {
    type: "private_key",
    needles: ["private key"],
    regex:
      /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\\[nr]|[\s"'`+,\\])*(?<secret>[A-Za-z0-9+/=]{40,}(?:(?:\\[nr]|[\s"'`+,\\])*[A-Za-z0-9+/=]{4,}){0,200})/g,
  },
  {
    type: "connection_string",
    needles: ["://"],
    regex:
      /(?<![A-Za-z])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/'"`<>{}$]{1,80}:(?<secret>[^\s@/'"`<>{}$]{6,200})@(?<host>[A-Za-z0-9.-]{1,200})/g,
  },
  {
    type: "connection_string",
    needles: ["password=", "pwd="],
    regex:
      /(?:Server|Data Source|Host|Uid|User Id)\s?=\s?(?<host>[^;'"`{}$\n]{1,200});[^'"`\n]{0,300}?(?:Password|Pwd)\s?=\s?(?<secret>[^;'"`{}$<>\n]{6,200})/gi,
  },
];

const placeholderWords =
  /example|sample|dummy|fake|placeholder|change.?me|replace|your.?|insert|redacted|masked|hidden|xxxx|\*\*\*|\.\.\.|todo|<[^>]*>|\$\{|\{\{|%\(|0123456|1234567|abcdef|qwerty|deadbeef|test|foobar|demo/i;

/** A text that only has the form: samples of documentation, and places to be filled in. */
export function isPlaceholder(secret: string): boolean {
  return placeholderWords.test(secret) || new Set(secret).size < Math.min(8, secret.length);
}

const defaultPasswords = new Set(
  "password passw0rd postgres secret admin administrator root guest user username redis rabbitmq mysql mariadb mongo mongodb letmein default pass".split(
    " ",
  ),
);

/** A connection that is nobody's: on this computer, inside a container, or with a password that everybody knows. */
export function isCommonConnection(host: string, secret: string): boolean {
  if (defaultPasswords.has(secret.toLowerCase())) return true;
  return (
    !/\.[a-z]{2,}$|^\d+\.\d+\.\d+\.\d+$/i.test(host) ||
    /^(?:127\.|0\.0\.0\.0|10\.|192\.168\.)|(?:^|\.)(?:example|test|local|localhost|invalid|internal)(?:\.|$)/i.test(host)
  );
}

/** The signature of the token that every tutorial shows. */
export const knownTokens: RegExp =
  /SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c|TJVA95OrM7E2cBab30RMHrHDcEfxjoYZgeFONFh7HgQ|dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U/;
