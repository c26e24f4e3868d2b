import { alErrorCall } from "./al/al-error-call.ts";
import { alNoSeries } from "./al/al-no-series.ts";
import type { Finder } from "./finder.ts";
import { anyType } from "./rules/any-type.ts";
import { debuggerStatement } from "./rules/debugger-statement.ts";
import { dynamicCode } from "./rules/dynamic-code.ts";
import { emptyCatch } from "./rules/empty-catch.ts";
import { secretLiteral } from "./rules/secret.ts";
import { sqlText } from "./rules/sql-text.ts";

/** Finders by the name under which a pattern asks for them. */
export const finders: ReadonlyMap<string, Finder> = new Map(
  [alErrorCall, alNoSeries, secretLiteral, dynamicCode, sqlText, emptyCatch, debuggerStatement, anyType].map((finder) => [
    finder.id,
    finder,
  ]),
);
