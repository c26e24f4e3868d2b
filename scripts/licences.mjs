// @ts-check

/** Licences a runtime dependency may have. A new one is a decision of its own: decisions/006-dependencies.md. */
export const allowedLicences = new Set(["MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "BlueOak-1.0.0"]);

/**
 * @typedef {{ license?: unknown, licenses?: unknown }} Manifest
 * @typedef {{ dev?: boolean, license?: unknown }} LockEntry
 */

/**
 * Judges every package of the production tree in a lock file (version 2 or 3). What is installed counts before what the lock
 * file says, so neither a stale lock nor a swapped package passes.
 *
 * @param {{ packages: Record<string, LockEntry> }} lock
 * @param {(folder: string) => Manifest | undefined} readManifest the installed manifest; undefined for a package of another platform
 * @returns {{ checked: number, refused: string[] }} one sentence for each package that is refused
 */
export function judgeLicences(lock, readManifest) {
  const runtime = Object.entries(lock.packages).filter(([folder, entry]) => folder !== "" && entry.dev !== true);
  const refused = runtime.flatMap(([folder, entry]) => {
    const licence = licenceOf(readManifest(folder)) ?? licenceOf(entry);
    if (licence !== undefined && isAllowed(licence)) return [];
    const name = folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
    return [`\`${name}\` has ${licence === undefined ? "no licence" : `the licence \`${licence}\``}, which is not on the list.`];
  });
  return { checked: runtime.length, refused };
}

/**
 * Whether an SPDX expression can be met with allowed licences alone: one side of an OR, both sides of an AND.
 * Anything that is not such an expression is not allowed.
 *
 * @param {string} expression
 */
export function isAllowed(expression) {
  const words = expression.match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;
  const either = () => {
    let held = both();
    while (words[at]?.toUpperCase() === "OR") {
      at++;
      held = both() || held;
    }
    return held;
  };
  const both = () => {
    let held = one();
    while (words[at]?.toUpperCase() === "AND") {
      at++;
      held = one() && held;
    }
    return held;
  };
  /** @returns {boolean} */
  const one = () => {
    const word = words[at++];
    if (word !== "(") return word !== undefined && allowedLicences.has(word);
    const held = either();
    return words[at++] === ")" && held;
  };
  const held = either();
  return held && at === words.length;
}

/**
 * The licence of a manifest, also in the two forms that npm no longer writes.
 *
 * @param {Manifest | undefined} manifest
 * @returns {string | undefined}
 */
function licenceOf(manifest) {
  const named = manifest?.license ?? manifest?.licenses;
  if (Array.isArray(named)) return named.length === 0 ? undefined : `(${named.map(nameOf).join(" OR ")})`;
  return nameOf(named);
}

/** @param {unknown} licence */
function nameOf(licence) {
  if (typeof licence === "string") return licence === "" ? undefined : licence;
  const type = /** @type {{ type?: unknown } | null | undefined} */ (licence)?.type;
  return typeof type === "string" ? type : undefined;
}
