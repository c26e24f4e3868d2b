/** The lease of who drives a strand. */
export function strandLease(run: string, strand: string): string {
  return `strand/${run}/${strand}`;
}

/** The lease of the process that performs an effect. */
export function effectLease(run: string, effect: string): string {
  return `effect/${run}/${effect}`;
}
