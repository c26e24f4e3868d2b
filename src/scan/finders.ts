import { alErrorCall } from "./al/al-error-call.ts";
import { alNoSeries } from "./al/al-no-series.ts";
import type { Finder } from "./finder.ts";

/** Finders by the name under which a pattern asks for them. */
export const finders: ReadonlyMap<string, Finder> = new Map([alErrorCall, alNoSeries].map((finder) => [finder.id, finder]));
