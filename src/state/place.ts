import type { Json, JsonObject } from "../base/index.ts";
import type { RunState } from "../kernel/index.ts";
import type { Program } from "../program/index.ts";

/** The scope of a run whose values are read. Scopes are never changed, only replaced. */
export interface Place {
  readonly run: string;
  readonly program: Program;
  readonly scopes: RunState["scopes"];
  readonly scope: string;
}

/** `ignored`: the key does not exist. `error` is set when the field failed, whatever stands in for it. */
export interface FieldValue {
  readonly value: Json;
  readonly ignored?: true;
  readonly error?: string;
}

/** What reading names needs of computed fields. `above` are the fields being computed, outermost first. */
export interface FieldReader {
  names(place: Place): readonly string[];
  value(place: Place, name: string, above?: readonly string[]): Promise<FieldValue | undefined>;
  /** An object of these entries; the same one as last time while they are the same. */
  kept(id: string, entries: readonly (readonly [string, Json])[]): JsonObject;
}
