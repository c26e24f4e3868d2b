/** Business Central 19 has runtime 8. */
const firstVersion = 11;

/**
 * The AL runtime that an app.json asks for: `runtime`, else from `platform`, else from `application`, which name a version of Business
 * Central. Comments, commas at the end and a byte order mark are forgiven. undefined when the text says none of them.
 */
export function appRuntime(json: string): number | undefined {
  const app = parseLenient(json);
  if (app === undefined) return undefined;
  return toNumber(app["runtime"]) ?? fromVersion(app["platform"]) ?? fromVersion(app["application"]);
}

/** The symbols that an app.json defines for its preprocessor. */
export function appSymbols(json: string): readonly string[] {
  const symbols = parseLenient(json)?.["preprocessorSymbols"];
  return Array.isArray(symbols) ? symbols.filter((symbol): symbol is string => typeof symbol === "string") : [];
}

/** The number of a version such as `BC19`, `19` or `19.0`; undefined when it is not a version. */
export function bcMajor(version: string): number | undefined {
  const major = /^\s*(?:bc\s*)?(\d{1,3})(?:\.\d+)*\s*$/i.exec(version)?.[1];
  return major === undefined ? undefined : Number(major);
}

/** The runtime of a version such as `BC19`, `19` or `19.0`; undefined when it is not a version. */
export function bcRuntime(version: string): number | undefined {
  const major = bcMajor(version) ?? 0;
  // Versions before 12 had runtimes below 1, which need no distinction.
  return major > firstVersion ? major - firstVersion : undefined;
}

function toNumber(value: unknown): number | undefined {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string") return undefined;
  const parts = /^\s*(\d{1,3}(?:\.\d{1,3})?)(?:\.\d+)*\s*$/.exec(text)?.[1];
  return parts === undefined ? undefined : Number(parts);
}

function fromVersion(value: unknown): number | undefined {
  return typeof value === "string" ? bcRuntime(value) : undefined;
}

function parseLenient(json: string): Readonly<Record<string, unknown>> | undefined {
  const text = json.replace(/^\ufeff/, "");
  for (const attempt of [text, withoutComments(text)]) {
    try {
      const value: unknown = JSON.parse(attempt);
      return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
    } catch {
      continue;
    }
  }
  return undefined;
}

function withoutComments(text: string): string {
  const strings = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  const bare = text.replace(strings, (part) => (part.startsWith('"') ? part : " "));
  return bare.replace(/"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/g, (part) => (part === "," ? "" : part));
}
