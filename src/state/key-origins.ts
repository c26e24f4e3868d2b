import { formatPath, readPath } from "../base/index.ts";
import type { Place } from "./place.ts";

/** What each key that went through `path_to_key` was before, for each run. */
export class WrittenKeys {
  readonly #runs = new Map<string, Map<string, string>>();

  of(run: string): Map<string, string> {
    const held = this.#runs.get(run) ?? new Map<string, string>();
    this.#runs.set(run, held);
    return held;
  }

  forget(run: string): void {
    this.#runs.delete(run);
  }
}

/**
 * Notices two texts that `path_to_key` turns into one key, because the later write would silently replace what belongs to the earlier
 * one. A key that the state no longer holds is free again. It knows what this process wrote: the state keeps the keys alone.
 */
export class KeyOrigins {
  readonly #written: WrittenKeys;
  /** Keys of this list of updates, which the state does not hold yet. */
  readonly #together = new Map<string, string>();

  constructor(written: WrittenKeys) {
    this.#written = written;
  }

  /** Why a path may not be written; `origins` are the keys that went through the filter, as they were before. */
  clash({ run, scopes, scope }: Place, keys: readonly string[], origins: readonly (string | undefined)[]): string | undefined {
    const before = this.#written.of(run);
    const tiers = scopes[scope];
    for (const [index, origin] of origins.entries()) {
      if (origin === undefined) continue;
      const path = keys.slice(0, index + 1);
      const id = JSON.stringify([scope, ...path]);
      const held = tiers !== undefined && readPath({ raw: tiers.raw, state: tiers.state }, path) !== undefined;
      const earlier = this.#together.get(id) ?? (held ? before.get(id) : undefined);
      if (earlier !== undefined && earlier !== origin)
        return `\`${origin}\` and \`${earlier}\` both become the key \`${formatPath(path)}\`, which belongs to \`${earlier}\` already. Leave \`path_to_key\` out: a path can use the value itself as its key.`;
      this.#together.set(id, origin);
      before.set(id, origin);
    }
    return undefined;
  }
}
