/**
 * The scanner: bytes of one file and rules in, instances and planned edits out. Pure and synchronous: it reads no file, starts no
 * thread and knows no clock; who walks, reads, stops a slow pattern and writes is the workspace. Edits are always by byte, in the
 * file's own encoding. Begin with `scan-file.ts`; `compile-rules.ts` says what is refused, `finders.ts` what knows a language.
 */
export { alObjectType, appRuntime, labelSuggestion, lexAl } from "./al/index.ts";
export { scanCodes } from "./codes.ts";
export { checkRules, compileRules, type CompiledRules } from "./compile-rules.ts";
export { finders } from "./finders.ts";
export { lexGeneric, type Grammar } from "./lex/generic.ts";
export { languageOf } from "./lex/language-of.ts";
export { maskGaps } from "./lex/mask-text.ts";
export { scanBytes, scannerVersion, type BytesScan, type ScanContext } from "./scan-file.ts";
export { decodeBytes } from "./text/decode.ts";
export { editBytes, encodeText } from "./text/encode.ts";
