/** `1,879`: groups of three, the same on every machine. */
export function grouped(value: number): string {
  const [whole = "", rest] = String(Math.abs(value)).split(".");
  const text = /^\d+$/.test(whole) ? whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ",") : whole;
  return `${value < 0 ? "-" : ""}${text}${rest === undefined ? "" : `.${rest}`}`;
}

/** `3 files`, `1 file`. */
export function counted(value: number, one: string, many: string = `${one}s`): string {
  return `${grouped(value)} ${value === 1 ? one : many}`;
}
