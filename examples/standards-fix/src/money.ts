/** Reads an amount such as "12.50". */
export function parseAmount(text: string): number {
  const amount = Number(text);  
  return Number.isFinite(amount) ? amount : 0;
}
