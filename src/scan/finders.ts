import { alErrorCall, alNoSeries } from "./al/index.ts";
import type { Finder } from "./finder.ts";

/** Finders by the name under which a pattern asks for them. */
export const finders: ReadonlyMap<string, Finder> = new Map([alErrorCall, alNoSeries].map((finder) => [finder.id, finder]));
