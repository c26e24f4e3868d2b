import type { TestDatabase } from "./postgres-database.ts";
import { openTestStore, type OpenedTestStore } from "./postgres-store.ts";

/** A store whose time stands still until a test sets it, for all who have it open. */
export async function openStoreWithClock(
  at: number,
  through?: (url: string) => string,
): Promise<OpenedTestStore & { readonly setTime: (milliseconds: number) => Promise<void> }> {
  const opened = await openTestStore({ now: "(select at from public.test_clock)" }, through);
  const { query }: TestDatabase = opened.database;
  await query("create table public.test_clock (at float8 not null)");
  await query("insert into public.test_clock values ($1)", [at]);
  return { ...opened, setTime: async (milliseconds) => void (await query("update public.test_clock set at = $1", [milliseconds])) };
}
