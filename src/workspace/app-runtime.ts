import { join } from "node:path";
import { appRuntime } from "../scan/index.ts";
import { codeOf } from "./codes.ts";
import { readWhole, withRegularFile } from "./read-regular.ts";

const maxBytes = 1 << 20;

/**
 * Which runtime AL files are compiled for: that of the nearest app.json above them, not above the root. Answers are remembered by
 * folder, for one job.
 */
export class AppRuntimes {
  readonly #root: string;
  readonly #folders = new Map<string, number | undefined>();

  constructor(root: string) {
    this.#root = root;
  }

  /** undefined when no app.json says so. */
  of(path: string): number | undefined {
    const cut = path.lastIndexOf("/");
    return this.#ofFolder(cut < 0 ? "" : path.slice(0, cut));
  }

  #ofFolder(folder: string): number | undefined {
    if (this.#folders.has(folder)) return this.#folders.get(folder);
    const own = readRuntime(join(this.#root, folder, "app.json"));
    const runtime = own === "absent" ? (folder === "" ? undefined : this.of(folder)) : own;
    this.#folders.set(folder, runtime);
    return runtime;
  }
}

/** An app.json that cannot be read or names no runtime hides those above it all the same: they are not about its files. */
function readRuntime(file: string): number | undefined | "absent" {
  try {
    return appRuntime(withRegularFile(file, (open) => (open.facts.size > maxBytes ? "" : readWhole(open).toString("utf8"))));
  } catch (cause) {
    return codeOf(cause) === "ENOENT" ? "absent" : undefined;
  }
}
