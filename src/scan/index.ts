/**
 * The scanner: bytes of one file and rules in, instances and planned edits out. Pure and synchronous: it reads no file, starts no
 * thread and knows no clock; who walks, reads, stops a slow pattern and writes is the workspace. Edits are always by byte, in the
 * file's own encoding. Begin with `scan-file.ts`; `compile-rules.ts` says what is refused, `finders.ts` what knows a language.
 */
export { appRuntime, appSymbols } from "./al/app-runtime.ts";
export { labelSuggestion } from "./al/label-suggestion.ts";
export { lexAl } from "./al/lex-al.ts";
export { alObjectType } from "./al/object-type.ts";
export { scanCodes } from "./codes.ts";
export { type CompiledRules, checkRules, compileRules } from "./compile-rules.ts";
export { finders } from "./finders.ts";
export { type Grammar, lexGeneric } from "./lex/generic.ts";
export { languageOf } from "./lex/language-of.ts";
export { maskGaps } from "./lex/mask-text.ts";
export { type SteadyRegex, steadyRegex } from "./regex/steady-regex.ts";
export { type BytesScan, type ScanContext, scanBytes, scannerVersion } from "./scan-file.ts";
export { decodeBytes } from "./text/decode.ts";
export { editBytes, encodeText } from "./text/encode.ts";
