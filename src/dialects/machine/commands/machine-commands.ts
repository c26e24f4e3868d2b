/** What machines add to the command line: their schema, their plan, and a look at the form of their session files. */
import type { DialectCommands } from "../../../cli/index.ts";

export const machineCommands: DialectCommands = {
  dialect: "machine",
  additions: {
    doctor: {
      summary: "and the form of session files below .agents-work",
      options: [
        { flags: "--repair", description: "Show how session files would be written again; originals are kept, and it asks first." },
        { flags: "--session <name>", description: "Only this session's folder." },
      ],
      examples: ["waymark doctor --repair --session 2026-01-31_add-login"],
      answers: {
        when: ({ repair }) => repair === true,
        load: async () => (await import("./doctor-sessions.ts")).repairSessions,
      },
    },
  },
  schema: true,
  share: async () => (await import("./machine-share.ts")).machineShare,
};
