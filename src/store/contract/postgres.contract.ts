import { openStoreWithClock } from "../../../test/support/postgres-clock.ts";
import { openTestStore, type OpenedTestStore } from "../../../test/support/postgres-store.ts";
import { conversationsContract } from "./conversations.contract.ts";
import { modelContract } from "./model.contract.ts";
import { processContract } from "./processes.contract.ts";
import { storeContract } from "../store.contract.ts";
import { transcriptsContract } from "../transcripts.contract.ts";
import { migrations } from "../postgres/schema.ts";

interface Extent {
  readonly rounds: number;
  readonly creations: number;
  readonly numRuns: number;
  /** The address by which a database is reached. */
  readonly through?: (url: string) => string;
}

/** All suites that the store on PostgreSQL keeps. */
export function postgresContracts(name: string, { rounds, creations, numRuns, through }: Extent): void {
  storeContract(name, async () => {
    const opened = await openTestStore({}, through);
    return { ...opened, reopen: async () => opened.open().store };
  });

  transcriptsContract(name, async () => {
    const { open, clean } = await openTestStore({}, through);
    return { transcripts: open().transcripts, reopen: () => open().transcripts, clean };
  });

  conversationsContract(name, async () => {
    const { open, clean } = await openTestStore({}, through);
    return { conversations: open().conversations, reopen: async () => open().conversations, clean };
  });

  processContract(name, {
    schema: migrations.length,
    rounds,
    creations,
    open: async () => {
      const { place, open, database, clean } = await openTestStore({}, through);
      const others: OpenedTestStore[] = [];
      return {
        place,
        open: async () => open().store,
        upgraded: async () => {
          const rows = await database.query<{ to_schema: string }>("select to_schema from public.upgraded order by to_schema");
          return rows.map(({ to_schema: to }) => Number(to));
        },
        more: async (count) => {
          for (let n = 0; n < count; n += 1) others.push(await openTestStore({}, through));
          return others.map((one) => one.place);
        },
        clean: async () => {
          for (const one of [...others, { clean }]) await one.clean();
        },
      };
    },
  });

  modelContract(
    name,
    async () => {
      const opened = await openStoreWithClock(0, through);
      return { ...opened, second: opened.open().store };
    },
    numRuns,
  );
}
