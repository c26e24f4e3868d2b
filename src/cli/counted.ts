/** `3 files`, `1 file`. */
export function counted(value: number, one: string, many: string = `${one}s`): string {
  return `${value} ${value === 1 ? one : many}`;
}
