import { execFile } from "node:child_process";
import { lstat, mkdir, mkdtemp, readdir, realpath, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { guardedGit, visibleText } from "../base/index.ts";
import { isBelowAddress, readCloneAddress, type CloneAddress } from "./clone-address.ts";
import { cloneFailed, cloneRefused, reasonOf } from "./codes.ts";
import { childEnvironment, type Environment } from "./user-folders.ts";
import { pathForOutput } from "./workspace-path.ts";

export interface CloneRequest {
  readonly from: string;
  /** The name of the folder that is made. */
  readonly name: string;
  /** The folder in which it is made. */
  readonly into: string;
  /** Addresses below which repositories may be cloned. */
  readonly allowed: readonly string[];
  readonly env: Environment;
  readonly signal?: AbortSignal;
}

const run = promisify(execFile);
const timeoutMs = 600_000;
/** How the folder begins in which a repository is until it is there as a whole. */
const unfinished = ".waymark-clone-";

/**
 * Clones a repository that the configuration allows and answers the folder, which is there as a whole or not at all. Nothing of the repository
 * is run: no hook, no submodule, no filter that fetches more. Throws `HOST_CLONE_REFUSED` or `HOST_CLONE`.
 */
export async function cloneRepository(request: CloneRequest): Promise<string> {
  const { from, name, into } = request;
  const address = await allowedAddress(request);
  if (!/^[A-Za-z0-9][\w.-]{0,99}$/.test(name) || /\.git$/i.test(name))
    throw cloneRefused(
      "this name cannot be the name of a folder",
      "Write `/clone <address> <name>` with letters, digits, `.`, `_` and `-`.",
    );
  await mkdir(into, { recursive: true }).catch((cause: unknown) => {
    throw cloneFailed(`\`${into}\` could not be made: ${reasonOf(cause)}`, cause);
  });
  const target = join(await realpath(into), name);
  const there = pathForOutput(target);
  if ((await lstat(target).catch(() => undefined)) !== undefined)
    throw cloneRefused(
      `\`${there}\` is there already`,
      `To work on it write \`/setcwd "${there}"\`, or \`/clone <address> <name>\` for a new one.`,
    );
  await removeLeft(into);
  const beside = await mkdtemp(join(into, unfinished));
  try {
    await run("git", [...cloning, "--", address.text, name], {
      cwd: beside,
      env: environmentOf(request.env),
      timeout: timeoutMs,
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
    await rename(join(beside, name), target);
  } catch (cause) {
    throw cloneFailed(request.signal?.aborted === true ? "it was cancelled" : whyNot(cause, from), cause);
  } finally {
    // git may still be ending.
    await rm(beside, { recursive: true, force: true, maxRetries: 5 });
  }
  return pathForOutput(target);
}

/** What processes left that were killed: a clone that may still be under way is younger. */
async function removeLeft(folder: string): Promise<void> {
  const now = Date.now();
  for (const name of await readdir(folder)) {
    if (!name.startsWith(unfinished)) continue;
    const path = join(folder, name);
    const { mtimeMs } = (await lstat(path).catch(() => undefined)) ?? { mtimeMs: now };
    if (now - mtimeMs > 2 * timeoutMs) await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function allowedAddress({ from, allowed }: CloneRequest): Promise<CloneAddress> {
  const address = readCloneAddress(from);
  if (address === undefined)
    throw cloneRefused(
      "the address is none of `https://`, `ssh://`, `user@host:path` and `file:///`, or has a secret, an option or `..` in it",
    );
  const real = await realAddress(address);
  const places = await Promise.all(allowed.map((each) => realAddress(readCloneAddress(each)!)));
  if (real !== undefined && places.some((place) => place !== undefined && isBelowAddress(place, real))) return real;
  throw cloneRefused(
    allowed.length === 0
      ? "`chat.clone_from` of the configuration names no address"
      : "the address is below none of those in `chat.clone_from` of the configuration",
  );
}

/** A folder with all links followed; undefined when there is none. */
async function realAddress(address: CloneAddress): Promise<CloneAddress | undefined> {
  if (address.kind !== "path") return address;
  const real = await realpath(address.text).catch(() => undefined);
  return real === undefined ? undefined : { ...address, text: real };
}

const cloning: readonly string[] = [
  ...guardedGit,
  // A server that was allowed must not send git to another one.
  "-c",
  "http.followRedirects=false",
  "clone",
  "--quiet",
  "--no-recurse-submodules",
  "--no-local",
  "--template=",
];

/** What would point git at another repository than the one that it makes. */
const misleading = /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|NAMESPACE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|TEMPLATE_DIR)$/;

function environmentOf(env: Environment): Record<string, string> {
  const kept = Object.fromEntries(Object.entries(childEnvironment(env)).filter(([name]) => !misleading.test(name)));
  return {
    GIT_SSH_COMMAND: "ssh -o BatchMode=yes",
    ...kept,
    // Nobody is there to type a password.
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "true",
    SSH_ASKPASS_REQUIRE: "never",
    GIT_ALLOW_PROTOCOL: "https:http:ssh:file",
    // Large files may be on another server, which the repository names.
    GIT_LFS_SKIP_SMUDGE: "1",
  };
}

function whyNot(cause: unknown, from: string): string {
  const { stderr = "", killed } = cause as { readonly stderr?: string; readonly killed?: boolean };
  if (killed === true) return `it was not done after ${timeoutMs / 60_000} minutes`;
  const [last = ""] = stderr.trim().split("\n").slice(-1);
  const reason = last === "" ? reasonOf(cause).replaceAll(from, "the address") : last;
  // git may show the address with what the user's configuration put into it.
  return visibleText(reason.replace(/:\/\/[^/@\s]*@/g, "://"))
    .replace(/\.$/, "")
    .slice(0, 300);
}
