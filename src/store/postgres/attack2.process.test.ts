import { postgresContracts } from "../contract/postgres.contract.ts";
const options = [
  "default_transaction_isolation=serializable",
  "standard_conforming_strings=off",
  "extra_float_digits=0",
  "bytea_output=escape",
  "timezone=Asia/Kathmandu",
  "datestyle=German",
  "array_nulls=on",
  "backslash_quote=on",
  "xmloption=document",
  "escape_string_warning=on",
  "lc_messages=C",
  "intervalstyle=iso_8601",
  "jit=off",
  "default_transaction_deferrable=on",
];
const through = (url: string): string => `${url}?options=${encodeURIComponent(options.map((o) => `-c ${o}`).join(" "))}`;
postgresContracts("PostgreSQL", { rounds: 3, creations: 2, numRuns: 15, through });
