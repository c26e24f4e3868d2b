/** The first whole second by which a time is over: who asks then need not ask again. */
export function timeOver(ms: number): string {
  return new Date(Math.ceil(ms / 1000) * 1000).toISOString();
}
