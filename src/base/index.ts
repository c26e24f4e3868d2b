/**
 * Words without a domain: JSON, errors, diagnostics, state paths, counts, cut texts. Entry ticket: two rooms need it.
 * Never anything that knows a run, a file or a clock.
 */
export { databaseParts, isAddress, isDatabaseAddress, isMistypedAddress, isReadableAddress, shownDatabase } from "./database-address.ts";
export { readHereDocument, type HereDocument } from "./here-document.ts";
export { counted, dollars, grouped, isoTime, percentOf, roughTime, shareOf, tenthsOf, topCounts } from "./number-text.ts";
export { beginningOf, cutMark, cutText, endOf, markedCut, shorten, shortenAtWord, shortenMiddle, wholeCharacters } from "./cut-text.ts";
export type { Diagnostic, Place } from "./diagnostic.ts";
export { guardedGit } from "./guarded-git.ts";
export { type Json, type JsonObject, canonicalJson, defined, fieldOf, hasType, isList, isObject, jsonOrText, own, textOf } from "./json.ts";
export { schemaProblems, schemaTypes, unknownSchemaTypes, unknownSchemaWords } from "./json-schema.ts";
export { maskSecret, maskSpans } from "./mask-secret.ts";
export { editDistance, nearest } from "./nearest.ts";
export { regexText } from "./regex-text.ts";
export { remembering } from "./remembering.ts";
export { asSentence } from "./sentence.ts";
export { forbiddenKeys, formatPath, pathToKey, readPath, splitPath } from "./state-path.ts";
export { shellWord, visibleText } from "./visible-text.ts";
export { type Catalogue, type ErrorFacts, type NextAfter, WaymarkError, isWaymarkError } from "./waymark-error.ts";
