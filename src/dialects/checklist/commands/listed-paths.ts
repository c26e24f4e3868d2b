import { failure, type Session } from "../../../cli/index.ts";

/** Paths that come in on stdin, one in a line or with a zero byte behind each, as `git diff --name-only` and `find` print them. */
export async function listedPaths(session: Session): Promise<readonly string[]> {
  const text = await session.readGiven("-", "paths");
  const paths = text.includes("\0") ? text.split("\0") : text.split("\n").map((line) => line.replace(/\r$/, ""));
  const found = paths.filter((path) => path.trim() !== "");
  const spelled = found.find((path) => /^".*\\(?:[0-7]{3}|["\\abfnrtv]).*"$/.test(path));
  if (spelled !== undefined)
    throw failure(
      "CLI_FILE",
      `The list has the path ${spelled}, which git has spelled out.`,
      "Let git print paths as they are: add `-z` to its command.",
    );
  return found;
}
