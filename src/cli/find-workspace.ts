import { dirname, join, relative, resolve } from "node:path";

/** What decides which folder is the workspace when the command line does not name one. */
export interface WorkspaceSearch {
  readonly cwd: string;
  /** The home folder and those for temporary files: never a workspace by themselves, and nothing above them is looked at. */
  readonly never: readonly string[];
  /** Folders in which a project keeps its definitions, relative to it. */
  readonly definitionFolders: readonly string[];
  /** What is at a path, links followed. */
  readonly kindOf: (path: string) => "file" | "folder" | undefined;
}

/** Files that tools expect at the top of a project. */
export const projectFiles: readonly string[] = [
  "package.json",
  "deno.json",
  "pyproject.toml",
  "Cargo.toml",
  "go.mod",
  "app.json",
  "pom.xml",
  "build.gradle",
  "build.gradle.kts",
  "composer.json",
  "Gemfile",
];

/**
 * The first of: the nearest folder upwards with a folder of definitions, not above the repository; the repository, which is the
 * nearest folder with `.git` (a file in worktrees and submodules); the nearest folder upwards with a project file; the current folder.
 * The search ends below the home folder, a folder for temporary files and the root of the disk, whichever comes first: inside home only
 * what is strictly inside it counts, elsewhere everything below the root. Undefined when the current folder itself is one of those.
 */
export function findWorkspace({ cwd, never, definitionFolders, kindOf }: WorkspaceSearch): string | undefined {
  const upwards = foldersUpwards(resolve(cwd), never);
  const has =
    (names: readonly string[], kind: "file" | "folder") =>
    (folder: string): boolean =>
      names.some((name) => kindOf(join(folder, name)) === kind);
  const repository = upwards.findIndex((folder) => kindOf(join(folder, ".git")) !== undefined);
  const inRepository = repository === -1 ? upwards : upwards.slice(0, repository + 1);
  return (
    inRepository.find(has(definitionFolders, "folder")) ?? upwards[repository] ?? upwards.find(has(projectFiles, "file")) ?? upwards[0]
  );
}

function foldersUpwards(from: string, never: readonly string[]): readonly string[] {
  const folders: string[] = [];
  // Names of one folder may differ in case on Windows; `relative` knows that.
  const isBarred = (folder: string): boolean => dirname(folder) === folder || never.some((barred) => relative(barred, folder) === "");
  for (let folder = from; !isBarred(folder); folder = dirname(folder)) folders.push(folder);
  return folders;
}
