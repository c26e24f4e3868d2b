import picomatch from "picomatch";
import { badGlob, messageOf } from "./codes.ts";

export type PathTest = (path: string) => boolean;

/**
 * Whether a path with `/` matches one of the globs. Globs see hidden names, and ignore case where the glob or the path ends in `.al`, as AL does.
 * A glob of a folder that ends in `/` means everything below it.
 */
export function matchGlobs(globs: readonly string[]): PathTest {
  const tests = globs.map(compile);
  if (tests.length === 1) return tests[0] as PathTest;
  return (path) => tests.some((test) => test(path));
}

/** Whether everything below a folder is matched, so that it need not be entered. */
export function matchWholeFolders(globs: readonly string[]): PathTest {
  return matchGlobs(globs.map(plainGlob).filter((glob) => glob.endsWith("/**")));
}

/** Globs to take in and globs to leave out: a leading `!` turns one into the other. */
export function splitGlobs(patterns: readonly string[], exclusions: readonly string[]): { taken: string[]; left: string[] } {
  const negated = (glob: string): boolean => glob.startsWith("!") && !glob.startsWith("!(");
  const taken = patterns.filter((glob) => !negated(glob));
  return {
    taken: taken.length === 0 ? ["**"] : taken,
    left: [...exclusions, ...patterns.filter(negated).map((glob) => glob.slice(1))],
  };
}

function compile(glob: string): PathTest {
  const plain = plainGlob(glob);
  if (plain === "") throw badGlob(glob, "it is empty");
  const ending = /^\*\*\/\*(\.\w+)$/.exec(plain)?.[1];
  // The most common form of all, without a regular expression.
  if (ending !== undefined) return isAl(ending) ? isAl : (path) => path.endsWith(ending);
  try {
    const options = { dot: true, nonegate: true } as const;
    const anyCase = picomatch(plain, { ...options, nocase: true });
    const exact = isAl(plain) ? anyCase : picomatch(plain, options);
    return (path) => (isAl(path) ? anyCase(path) : exact(path));
  } catch (cause) {
    throw badGlob(glob, messageOf(cause));
  }
}

/** Paths of AL files are compared without case, as their compiler does. */
function isAl(path: string): boolean {
  return path.slice(-3).toLowerCase() === ".al";
}

function plainGlob(glob: string): string {
  const plain = glob.replace(/^(?:\.?\/)+/, "");
  return plain.endsWith("/") ? `${plain}**` : plain;
}
