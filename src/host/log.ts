import { appendFileSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { cutText } from "../base/index.ts";
import type { Host } from "../ports/index.ts";

export type Log = Host["log"];
export type LogLevel = Parameters<Log>[0];

/** From quiet to talkative; also the values of `WAYMARK_LOG`. */
export const logLevels: readonly LogLevel[] = ["error", "warn", "info", "debug"];

export interface LogOptions {
  readonly level: LogLevel;
  /** Without it, lines go to stderr; stdout belongs to protocols and results. */
  readonly file?: string | undefined;
  /** Values of its secret-looking variables are cut out of every line. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where lines go when there is no file, or it cannot be written. */
  readonly write?: (line: string) => void;
}

/**
 * One line per message: time, level, text, facts as JSON. Secrets are cut out: facts under secret-looking keys, and wherever
 * it appears the value of a secret-looking environment variable. Of an environment only names are printed.
 */
export function createLog(options: LogOptions): Log {
  const most = logLevels.indexOf(options.level);
  const toStderr = options.write ?? ((line: string) => void process.stderr.write(line));
  const secrets = secretValues(options.env ?? process.env);
  let { file } = options;
  let folder = file && dirname(file);
  const lineOf = (level: string, text: string): string => `${oneLine(`${new Date().toISOString()} ${level.toUpperCase()} ${text}`)}\n`;
  const write = (line: string): void => {
    if (file === undefined) return toStderr(line);
    try {
      if (folder !== undefined) mkdirSync(folder, { recursive: true });
      folder = undefined;
      appendFileSync(file, line, { mode: 0o600 });
    } catch (cause) {
      toStderr(lineOf("warn", `The log file \`${file}\` cannot be written, logging to stderr: ${String(cause)}`));
      toStderr(line);
      file = undefined;
    }
  };
  return (level, message, facts) => {
    if (logLevels.indexOf(level) > most) return;
    const shown = facts === undefined || Object.keys(facts).length === 0 ? "" : ` ${JSON.stringify(plainFacts(facts, 0, new Set()))}`;
    write(withoutSecrets(lineOf(level, `${message}${shown}`), secrets));
  };
}

const secretName = /token|secret|passw|passphrase|authori[sz]ation|api[-_]?key|private[-_]?key|credential|cookie/i;
const redacted = "[redacted]";

function secretValues(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env)
    .filter(([name, value]) => secretName.test(name) && value !== undefined && value.length >= 8)
    .map(([, value]) => value!)
    .sort((a, b) => b.length - a.length);
}

function withoutSecrets(line: string, secrets: readonly string[]): string {
  return secrets.reduce((text, secret) => text.replaceAll(secret, redacted), line);
}

/** Text with control characters escaped, so that no message can forge a second line. */
function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function plainFacts(value: unknown, depth: number, above: ReadonlySet<unknown>): unknown {
  if (typeof value === "string") return cutText(value, 2000);
  if (typeof value === "bigint" || typeof value === "symbol" || typeof value === "function") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (above.has(value) || depth > 6) return "[deeper]";
  const inside = new Set(above).add(value);
  if (value instanceof Error) return plainFacts(Object.assign({}, value, { name: value.name, message: value.message }), depth + 1, inside);
  if (Array.isArray(value)) return value.slice(0, 50).map((entry) => plainFacts(entry, depth + 1, inside));
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, plainFact(key, held, depth, inside)]));
}

function plainFact(key: string, held: unknown, depth: number, inside: ReadonlySet<unknown>): unknown {
  // Numbers and booleans under such keys are counts and switches (`tokens: 120`), never the secret itself.
  const mayBeSecret = typeof held === "string" || (typeof held === "object" && held !== null);
  if (secretName.test(key) && mayBeSecret) return redacted;
  if (/^env(ironment)?$/i.test(key) && typeof held === "object" && held !== null) return Object.keys(held);
  return plainFacts(held, depth + 1, inside);
}
