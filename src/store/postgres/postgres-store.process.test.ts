import { postgresContracts } from "../contract/postgres.contract.ts";

postgresContracts("PostgreSQL", { rounds: 3, creations: 2, numRuns: 15 });
