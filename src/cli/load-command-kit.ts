import type * as CommandKit from "./command-kit.ts";

/** Loads what commands of dialects use of the general ones; a module of such a command awaits it at its top. */
export function loadCommandKit(): Promise<typeof CommandKit> {
  return import("./command-kit.ts");
}
