import { total } from "./total";

export function invoice(rows: any): string {
  return `Total: ${total(rows)}`;
}
