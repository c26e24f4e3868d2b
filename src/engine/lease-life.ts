import type { Lease } from "../ports/index.ts";
import type { EngineContext } from "./context.ts";

type Leasing = Pick<EngineContext, "store" | "host">;

/** Whether the owner of a lease counts as there, at the store's time: the lease has not run out and its process is not known to be dead. */
export function isAlive({ host }: Pick<EngineContext, "host">, lease: Lease | undefined, at: number): lease is Lease {
  if (lease === undefined || lease.expiresAt <= at) return false;
  // Nobody need ask the system whether this process is there.
  return lease.owner.startsWith(host.processId) || !host.isGone(lease.owner);
}

export interface WantedLease {
  readonly key: string;
  readonly owner: string;
  readonly fence: number;
  readonly ttlMs: number;
}

/**
 * Takes a lease that is free, whose owner is dead, or that `force` lets be taken away; then `from` is the one that was taken away. Not
 * granted, the answer is the lease that is in the way.
 */
export async function takeLease(
  { store, host }: Leasing,
  { key, owner, fence, ttlMs }: WantedLease,
  force: (lease: Lease) => boolean = () => false,
): Promise<Awaited<ReturnType<EngineContext["store"]["acquire"]>> & { readonly from?: Lease }> {
  const first = await store.acquire(key, owner, fence, ttlMs);
  if (first.granted || !(host.isGone(first.lease.owner) || force(first.lease))) return first;
  await store.releaseLease(key, first.lease.owner);
  return { ...(await store.acquire(key, owner, fence, ttlMs)), from: first.lease };
}
