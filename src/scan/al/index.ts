/**
 * What the scanner knows of AL, the language of Business Central: a lexer, the symbols of a file, and finders that understand calls.
 * Everything is a function of the text alone: no file is read, nothing outside the file is guessed. Where one file does not show enough,
 * a person decides: a finder never offers an edit that it is not certain of. Begin with `al-error-call.ts`.
 */
export { alErrorCall } from "./al-error-call.ts";
export { alNoSeries } from "./al-no-series.ts";
export { lexAl, lexAlGaps } from "./lex-al.ts";
export { labelSuggestion, type LabelSuggestion } from "./label-suggestion.ts";
export { alObjectType, isTestObject, isTestPath } from "./object-type.ts";
export { appRuntime, bcRuntime } from "./app-runtime.ts";
