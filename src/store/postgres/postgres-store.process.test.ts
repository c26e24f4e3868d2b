import { openStoreWithClock } from "../../../test/support/postgres-clock.ts";
import { openTestStore, type OpenedTestStore } from "../../../test/support/postgres-store.ts";
import { conversationsContract } from "../contract/conversations.contract.ts";
import { modelContract } from "../contract/model.contract.ts";
import { processContract } from "../contract/processes.contract.ts";
import { storeContract } from "../store.contract.ts";
import { transcriptsContract } from "../transcripts.contract.ts";
import { migrations } from "./schema.ts";

storeContract("PostgreSQL", async () => {
  const opened = await openTestStore();
  return { ...opened, reopen: async () => opened.open().store };
});

transcriptsContract("PostgreSQL", async () => {
  const { open, clean } = await openTestStore();
  return { transcripts: open().transcripts, reopen: () => open().transcripts, clean };
});

conversationsContract("PostgreSQL", async () => {
  const { open, clean } = await openTestStore();
  return { conversations: open().conversations, reopen: async () => open().conversations, clean };
});

processContract("PostgreSQL", {
  schema: migrations.length,
  rounds: 3,
  creations: 2,
  open: async () => {
    const { place, open, database, clean } = await openTestStore();
    const others: OpenedTestStore[] = [];
    return {
      place,
      open: async () => open().store,
      upgraded: async () => {
        const rows = await database.query<{ to_schema: string }>("select to_schema from public.upgraded order by to_schema");
        return rows.map(({ to_schema: to }) => Number(to));
      },
      more: async (count) => {
        for (let n = 0; n < count; n += 1) others.push(await openTestStore());
        return others.map((one) => one.place);
      },
      clean: async () => {
        for (const one of [...others, { clean }]) await one.clean();
      },
    };
  },
});

modelContract(
  "PostgreSQL",
  async () => {
    const opened = await openStoreWithClock(0);
    return { ...opened, second: opened.open().store };
  },
  { numRuns: 15 },
);
