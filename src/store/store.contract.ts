import { afterAll, beforeAll, describe } from "vitest";
import type { Store } from "../ports/index.ts";
import { blobContract } from "./contract/blobs.contract.ts";
import { itemContract } from "./contract/items.contract.ts";
import { itemQueryContract } from "./contract/item-queries.contract.ts";
import { journalContract } from "./contract/journal.contract.ts";
import { leaseContract } from "./contract/leases.contract.ts";
import { poolContract } from "./contract/pools.contract.ts";
import { workContract } from "./contract/work.contract.ts";
import { runContract } from "./contract/runs.contract.ts";

export interface OpenedStore {
  readonly store: Store;
  /** Opens the same data a second time; the first stays open. */
  readonly reopen: () => Promise<Store>;
  /** Makes it as if the blob had been put that many minutes earlier. */
  readonly ageBlob: (hash: string, minutes: number) => Promise<void>;
  /** Puts other bytes in the place of the blob's own, or none at all. */
  readonly damageBlob: (hash: string, bytes: string | undefined) => Promise<void>;
  /** Closes what was opened and removes the data. */
  readonly clean: () => Promise<void>;
}

/** What every store must do, whatever it is made of. All tests share one store and use runs of their own. */
export function storeContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`${name} keeps the contract of a store`, () => {
    let opened: OpenedStore | undefined;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(async () => {
      await opened?.clean();
    });
    const current = (): OpenedStore => {
      if (opened === undefined) throw new Error("The store is opened before the first test.");
      return opened;
    };
    describe("runs", () => {
      runContract(current);
    });
    describe("work", () => {
      workContract(current);
    });
    describe("journal", () => {
      journalContract(current);
    });
    describe("items", () => {
      itemContract(current);
    });
    describe("item queries", () => {
      itemQueryContract(current);
    });
    describe("leases", () => {
      leaseContract(current);
    });
    describe("account pools", () => {
      poolContract(current);
    });
    describe("blobs", () => {
      blobContract(current);
    });
  });
}
