type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What every agent sees. Proxies and certificates are among them: where a network needs them, an agent without them cannot reach its
 * model.
 */
const always = new Set(
  [
    "PATH HOME LANG TERM TMPDIR USER LOGNAME SHELL TZ",
    "HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS",
    "SYSTEMROOT COMSPEC PATHEXT TEMP TMP USERPROFILE APPDATA LOCALAPPDATA",
  ].flatMap((names) => names.split(" ")),
);
const alwaysFamilies = /^(?:LC_|XDG_)/;
/** Whether every agent sees a variable. */
export function isEveryones(name: string): boolean {
  const upper = name.toUpperCase();
  return always.has(upper) || alwaysFamilies.test(upper);
}

/** Waymark's own variables can hold tokens that give a person's rights. */
const never = /^WAYMARK_/;

/** The environment of an agent: an allow-list, never all of this process', with what its settings name and what its driver adds. */
export function agentEnvironment(env: Environment, wanted: readonly string[], more: Environment = {}): Record<string, string> {
  const passed = new Set(wanted.filter((entry) => !entry.includes("=")));
  const held: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && (isEveryones(name) || passed.has(name))) held[name] = value;
  }
  for (const entry of wanted) {
    const at = entry.indexOf("=");
    if (at > 0) held[entry.slice(0, at)] = entry.slice(at + 1);
  }
  for (const name of Object.keys(held)) if (never.test(name.toUpperCase())) delete held[name];
  for (const [name, value] of Object.entries(more)) if (value !== undefined) held[name] = value;
  return held;
}
