import { openTestStore } from "../../../test/support/postgres-store.ts";
import { conversationsContract } from "../contract/conversations.contract.ts";
import { storeContract } from "../store.contract.ts";
import { transcriptsContract } from "../transcripts.contract.ts";

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
