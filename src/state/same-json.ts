import { isList, isObject, type Json } from "../base/index.ts";

/** Whether two values are equal, however they came about. */
export function sameJson(a: Json, b: Json): boolean {
  if (Object.is(a, b)) return true;
  if (isList(a)) return isList(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]!));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key]!, b[key]!));
}
