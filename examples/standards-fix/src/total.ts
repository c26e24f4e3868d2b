import { parseAmount } from "./money";

export function total(rows: any[]): number {
  var sum = 0;
  for (const row of rows) {
    if (row == null) continue;
    console.log(row);
  }
  return parseAmount(String(sum));
}
