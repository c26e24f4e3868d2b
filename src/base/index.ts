/**
 * Words without a domain: JSON, errors, diagnostics, state paths. Entry ticket: two rooms need it.
 * Never anything that knows a run, a file or a clock.
 */
export { canonicalJson, defined, isList, isObject, own, textOf, type Json, type JsonObject } from "./json.ts";
export { isWaymarkError, WaymarkError, type Catalogue, type NextAfter } from "./waymark-error.ts";
export type { Diagnostic, Place } from "./diagnostic.ts";
export { editDistance, nearest } from "./nearest.ts";
export { asSentence } from "./sentence.ts";
export { forbiddenKeys, formatPath, pathToKey, readPath, splitPath } from "./state-path.ts";
