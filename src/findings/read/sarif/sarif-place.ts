import { defined, isObject } from "../../../base/index.ts";
import type { Finding, Region } from "../../../ports/index.ts";
import { objectAt, objectsAt, textAt, wholeAt, type Fields } from "../json/fields.ts";
import { isAbsolutePath, isAbsoluteUri, pathIn, pathOfUri } from "../path-in.ts";
import { wellFormed, type Writable } from "../placing.ts";

/** A file as SARIF names it: with a base in front of it, or by its place in the list of files. */
export interface Location {
  readonly uri?: string;
  readonly base?: string;
  readonly index?: number;
}

/** A region as it is written. What columns count is known only at the end of the run. */
export interface WrittenRegion {
  readonly line?: number;
  readonly column?: number;
  readonly endLine?: number;
  readonly endColumn?: number;
  readonly offset?: number;
  readonly length?: number;
  readonly isBytes?: true;
}

export interface WrittenFix {
  readonly file: Location;
  readonly region: WrittenRegion;
  readonly text: string;
}

export function locationOf(fields: Fields): Location {
  const location: Writable<Location> = {};
  const [uri, base, index] = [textAt(fields, "uri"), textAt(fields, "uriBaseId"), wholeAt(fields, "index", 0)];
  if (uri !== undefined) location.uri = uri;
  if (base !== undefined) location.base = base;
  if (index !== undefined) location.index = index;
  return location;
}

/** The first place of a result or of a notification that is in a file. */
export function placeOf(fields: Fields): { readonly file?: Location; readonly region?: WrittenRegion } {
  for (const location of objectsAt(fields, "locations")) {
    const physical = objectAt(location, "physicalLocation");
    const file = physical === undefined ? undefined : objectAt(physical, "artifactLocation");
    if (physical === undefined || file === undefined) continue;
    const region = objectAt(physical, "region");
    return defined({ file: locationOf(file), region: region === undefined ? undefined : writtenRegion(region) });
  }
  return {};
}

/** Lines are preferred to characters, and these to bytes. */
function writtenRegion(fields: Fields): WrittenRegion {
  const line = wholeAt(fields, "startLine", 1);
  if (line !== undefined) return linesOf(fields, line);
  const offset = wholeAt(fields, "charOffset", 0);
  if (offset !== undefined) return { offset, length: wholeAt(fields, "charLength", 0) ?? 0 };
  const bytes = wholeAt(fields, "byteOffset", 0);
  return bytes === undefined ? {} : { offset: bytes, length: wholeAt(fields, "byteLength", 0) ?? 0, isBytes: true };
}

function linesOf(fields: Fields, line: number): WrittenRegion {
  const region: Writable<WrittenRegion> = { line };
  const column = wholeAt(fields, "startColumn", 1);
  const endLine = wholeAt(fields, "endLine", line);
  const endColumn = wholeAt(fields, "endColumn", 1);
  if (column !== undefined) region.column = column;
  // An end in front of the beginning is none.
  if ((endLine ?? line) === line && (endColumn ?? Infinity) < (column ?? 1)) return region;
  if (endLine !== undefined) region.endLine = endLine;
  if (endColumn !== undefined) region.endColumn = endColumn;
  return region;
}

/** The first of the fixes: others are other ways to the same end. undefined where one of its edits is about bytes, or about no place. */
export function fixOf(fields: Fields): readonly WrittenFix[] | undefined {
  const [fix] = objectsAt(fields, "fixes");
  if (fix === undefined) return undefined;
  const edits: WrittenFix[] = [];
  for (const change of objectsAt(fix, "artifactChanges")) {
    const file = objectAt(change, "artifactLocation");
    for (const replacement of objectsAt(change, "replacements")) {
      const deleted = objectAt(replacement, "deletedRegion");
      const inserted = objectAt(replacement, "insertedContent");
      const text = inserted === undefined ? "" : textAt(inserted, "text");
      if (file === undefined || deleted === undefined) return undefined;
      const region = writtenRegion(deleted);
      const isText = region.isBytes !== true && (region.line ?? region.offset) !== undefined;
      if (!isText || text === undefined || text !== wellFormed(text)) return undefined;
      edits.push({ file: locationOf(file), region, text });
    }
  }
  return edits.length === 0 ? undefined : edits;
}

/** What the places of a fix are looked up with. */
export interface FixPlaces {
  readonly places: Places;
  /** Absolute path. */
  readonly workspace: string;
}

/** What a run says about places. */
export interface Places {
  readonly files: readonly (Location | undefined)[];
  readonly bases: Fields | undefined;
  readonly columns: "utf16" | "characters" | "bytes";
}

/** The file that a location names, or what it names instead of one; undefined where the document does not say. */
export function fileOf(location: Location, places: Places): { readonly named: string; readonly isElsewhere: boolean } | undefined {
  const uri = uriOf(location, places, 0);
  if (uri === undefined) return undefined;
  const path = pathOfUri(uri);
  return { named: path ?? uri, isElsewhere: path === undefined };
}

/** More would be a circle. */
const mostBases = 20;

function uriOf({ uri: own, base: id, index }: Location, places: Places, depth: number): string | undefined {
  if (own === undefined) {
    const file = index === undefined ? undefined : places.files[index];
    return file?.uri === undefined ? undefined : uriOf(file, places, depth);
  }
  if (id === undefined || depth > mostBases || isAbsoluteUri(own) || isAbsolutePath(own)) return own;
  const written = places.bases !== undefined && isObject(places.bases.value[id]) ? objectAt(places.bases, id) : undefined;
  const base = written === undefined ? undefined : uriOf(locationOf(written), places, depth + 1);
  if (base === undefined || base === "") return own;
  return base.endsWith("/") ? `${base}${own}` : `${base}/${own}`;
}

/** A place for people: a bare one stays bare. A result about a file as a whole is on its first line. */
export function regionOf(written: WrittenRegion | undefined, { columns }: Places): Region {
  const { line, column, endLine, endColumn, offset, length = 0, isBytes } = written ?? {};
  if (offset !== undefined) return { offset, length, unit: isBytes === true ? "bytes" : columns === "bytes" ? "utf16" : columns };
  if (line === undefined) return { line: 1 };
  const region: Writable<Extract<Region, { readonly line: number }>> = { line };
  if (column !== undefined || endColumn !== undefined) {
    region.column = column ?? 1;
    if (columns !== "utf16") region.columns = columns;
  }
  if (endLine !== undefined) region.endLine = endLine;
  if (endColumn !== undefined) {
    region.endLine = endLine ?? line;
    region.endColumn = endColumn;
  }
  return region;
}

/** The edits, unless one is in another file than the result. */
export function editsOf(
  fix: readonly WrittenFix[] | undefined,
  named: string | undefined,
  { places, workspace }: FixPlaces,
): Finding["fix"] {
  if (fix === undefined || named === undefined) return undefined;
  const path = pathIn(workspace, named);
  const isOther = ({ file }: WrittenFix): boolean => {
    const found = fileOf(file, places);
    return found === undefined || found.isElsewhere || pathIn(workspace, found.named) !== path;
  };
  return fix.some(isOther) ? undefined : fix.map(({ region, text }) => ({ region: exactRegion(region, places), text }));
}

/** Without columns a region is from the beginning of its line to the end, without the line break. */
function exactRegion(written: WrittenRegion, places: Places): Region {
  const { line, column = 1, endLine = line } = written;
  return regionOf(line === undefined ? written : { ...written, line, column, ...defined({ endLine }) }, places);
}
