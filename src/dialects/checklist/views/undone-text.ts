import { counted } from "../../../views/index.ts";

/** What came of the undoing of a batch: `restored` files hold again what they held before, `left` could not be restored. */
export function undoneText(batch: string, restored: number, left: number): string {
  if (restored === 0 && left > 0) return `Batch ${batch} is not undone: no file was restored.`;
  if (restored === 0) return `Batch ${batch} is undone: there was no file to restore.`;
  const again = `${counted(restored, "file holds", "files hold")} again what ${restored === 1 ? "it" : "they"} held before.`;
  return `Batch ${batch} is undone${left === 0 ? "" : " in part"}: ${again}`;
}

export function leftText(left: number): string {
  return `${counted(left, "file was", "files were")} left as ${left === 1 ? "it is" : "they are"}:`;
}
