/**
 * The scanner: bytes of one file and rules in, instances and planned edits out. Pure and synchronous: it reads no file, starts no
 * thread and knows no clock; who walks, reads, stops a slow pattern and writes is the workspace. Edits are always by byte, in the
 * file's own encoding. Begin with `scan-file.ts`; `compile-rules.ts` says what is refused, `finders.ts` what knows a language.
 */
export { appRuntime, labelSuggestion, type LabelSuggestion } from "./al/index.ts";
export { scanCodes } from "./codes.ts";
export { checkRules, compileRules, type CompiledPattern, type CompiledRules } from "./compile-rules.ts";
export type { Finder, Found, SourceText, TextEdit } from "./finder.ts";
export { finders } from "./finders.ts";
export { groupKey, instanceKey } from "./instance-key.ts";
export { scannerVersion } from "./scanner-version.ts";
export { scanBytes, type BytesScan, type ScanContext } from "./scan-file.ts";
export { decodeBytes, type Decoded } from "./text/decode.ts";
export { editBytes, encodeText } from "./text/encode.ts";
export type { Token, TokenKind } from "./token.ts";
