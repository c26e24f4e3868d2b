/** Whether two tasks may change the same file, by the files that each expects to change: paths, folders or globs. Nothing expected meets everything. */
export function filesMeet(one: readonly string[], other: readonly string[]): boolean {
  if (one.length === 0 || other.length === 0) return true;
  return one.some((a) => other.some((b) => meets(a, b)));
}

/** By what is before the first wildcard, so that two globs count as meeting rather than not. */
function meets(a: string, b: string): boolean {
  const [one, other] = [fixedPart(a), fixedPart(b)];
  if (one.whole && other.whole) return one.text === other.text || isBelow(one.text, other.text) || isBelow(other.text, one.text);
  if (one.whole) return one.text.startsWith(other.text) || isBelow(other.text, one.text);
  if (other.whole) return other.text.startsWith(one.text) || isBelow(one.text, other.text);
  return one.text.startsWith(other.text) || other.text.startsWith(one.text);
}

/** The folder itself is everything, and so is what leads out of a folder: where to is not worked out. */
function fixedPart(path: string): { readonly text: string; readonly whole: boolean } {
  const parts = path.trim().replaceAll("\\", "/").toLowerCase().split("/");
  if (parts.includes("..")) return { text: "", whole: true };
  const plain = parts.filter((part) => part !== "" && part !== ".").join("/");
  const at = plain.search(/[*?[{!]/);
  return at < 0 ? { text: plain, whole: true } : { text: plain.slice(0, at), whole: false };
}

function isBelow(path: string, folder: string): boolean {
  return folder === "" || path.startsWith(`${folder}/`);
}
