import type { EngineContext } from "../../../engine/index.ts";
import { sessionFiles } from "../definition/index.ts";
import type { MachineRun } from "./machine-run.ts";
import { hashAt, listFiles } from "./session-folder.ts";
import type { WorkspaceLook } from "./workspace-changes.ts";

/** So many ignored files are watched, in so many ignored folders. */
const mostFiles = 500;
const mostFolders = 50;

/** Folders that tools fill with too many files. */
const filledByTools = new Set(
  `node_modules bower_components jspm_packages vendor dist build out target bin obj lib-cov coverage htmlcov __pycache__ venv env .venv .tox
  .nox .eggs .git .hg .svn .idea .vs .gradle .terraform .next .nuxt .output .svelte-kit .parcel-cache .turbo .nx .angular .nyc_output
  .alpackages .waymark test-results playwright-report reports tmp temp .tmp log logs`.split(/\s+/),
);
const leftByTools =
  /(?:\.(?:log|pid|lock|tmp|temp|swp|swo|bak|pyc|class|o|tsbuildinfo|sqlite3?|db|db-\w+|lcov|tgz|zip|gz))$|cache|coverage|junit|results?\b|report|^\.DS_Store$|^Thumbs\.db$|~$/i;
/** Names of files that change how a project behaves, or hold its secrets. */
const settles =
  /^\.env|\.env$|^\.[\w-]+rc(?:\.\w+)?$|\.local(?:\.\w+)?$|config|settings|secret|credential|password|token|\.(?:ya?ml|toml|ini|cfg|conf|properties|pem|key|crt|p12|pfx|jks)$/i;
/** Not a path: says that ignored files were gathered, and whether all of them. */
const mark = "ignored:";

type Contents = Readonly<Record<string, string>>;

/** Contents by path of ignored files that are worth watching: those of the top level, and below it those that look like settings. */
async function ignoredFiles(context: EngineContext, ignored: readonly string[], sessions: string): Promise<Record<string, string>> {
  const own = ignored.toSorted().filter((path) => !`${path}/`.startsWith(`${sessions}/`) && !isOfTools(path));
  const folders = own.filter((path) => path.endsWith("/"));
  const paths = own.filter((path) => !path.endsWith("/"));
  for (const folder of folders.slice(0, mostFolders)) paths.push(...(await filesBelow(context, folder.slice(0, -1))));
  const kept = paths.filter((path) => !path.includes("/") || settles.test(nameOf(path)));
  const all = kept.length <= mostFiles && folders.length <= mostFolders;
  const contents: Record<string, string> = { [mark]: all ? "all" : "some" };
  for (const path of kept.slice(0, mostFiles)) contents[path] = await hashAt(context, path);
  return contents;
}

/**
 * What is watched as it is to be compared with what was there before. Of new ignored files only those that look like settings count,
 * since tools leave others behind; where there were too many to watch, none that came or went only because of that.
 */
export async function watchedSince(context: EngineContext, before: Contents, watched: Contents, sessions: string): Promise<Contents> {
  const gathered = Object.hasOwn(before, mark);
  const all = before[mark] === "all" && watched[mark] === "all";
  const counts = (path: string): boolean =>
    path.startsWith(`${sessions}/`) || (gathered && (Object.hasOwn(before, path) || (all && settles.test(nameOf(path)))));
  const after: Record<string, string> = Object.fromEntries(Object.entries(watched).filter(([path]) => path !== mark && counts(path)));
  if (gathered) after[mark] = before[mark] ?? "";
  if (!gathered || all) return after;
  for (const path of Object.keys(before).filter((each) => each !== mark && !Object.hasOwn(after, each))) {
    const hash = await hashAt(context, path);
    if (hash !== "") after[path] = hash;
  }
  return after;
}

async function filesBelow(context: EngineContext, folder: string): Promise<readonly string[]> {
  const exclusions = [...filledByTools].map((name) => `**/${name}/**`);
  const found = await listFiles(context, { exclusions, scope: { kind: "directory", path: folder }, maxFiles: mostFiles * 4 });
  return found.filter((path) => !isOfTools(path)).sort();
}

function isOfTools(path: string): boolean {
  const parts = path.split("/");
  const name = parts.pop() ?? "";
  return parts.some((part) => filledByTools.has(part) || /cache/i.test(part)) || (leftByTools.test(name) && !name.startsWith(".env"));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** So many files of earlier sessions are watched. */
const mostWatched = 2000;

/**
 * Contents by path of what is watched although it is not part of this session: other sessions that are done, which nobody may write any
 * more, and files that git ignores. Sessions that are not done belong to another run.
 */
export async function watchedFiles(context: EngineContext, run: MachineRun, { ignored }: WorkspaceLook): Promise<Contents> {
  const {
    definition: { folder: root },
    folder,
  } = run;
  const paths = await listFiles(context, { patterns: [`${root}/**/*`], exclusions: [`${folder}/**`], maxFiles: mostWatched });
  const depth = root.split("/").length;
  const sessionOf = (path: string): string => path.split("/")[depth] ?? "";
  const open = new Set<string>();
  for (const path of paths) {
    if (path !== `${root}/${sessionOf(path)}/${sessionFiles.status}`) continue;
    const status = await context.workspace.readText(context.host.workspace, path);
    if (status !== undefined && !/"current_state"\s*:\s*"DONE"/.test(status.text)) open.add(sessionOf(path));
  }
  const contents = await ignoredFiles(context, ignored, root);
  for (const path of paths) if (!open.has(sessionOf(path))) contents[path] = await hashAt(context, path);
  return contents;
}
