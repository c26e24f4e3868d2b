export interface Line {
  readonly name: string;
  readonly price: number;
  readonly count: number;
}

export function totalOf(lines: readonly Line[]): number {
  let total: number = "0";
  for (const line of lines) total += line.price * line.count;
  debugger;
  return total;
}
