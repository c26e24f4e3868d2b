import { checkAgent } from "./check-agent.ts";
import { checkPerson, isPersonId } from "./check-person.ts";
import { checkRole } from "./check-role.ts";
import { checkServer, isServerName, type EntryProblem } from "./check-setting.ts";
import { describeAgent } from "./describe-agents.ts";
import { describeRole } from "./describe-role.ts";
import { describeServer } from "./describe-servers.ts";
import type { AgentConfig, PersonConfig, RoleConfig, ServerConfig } from "./settings.ts";

interface NamedGroup {
  /** What an entry is, with its article. */
  readonly what: string;
  readonly isName: (name: string) => boolean;
  readonly names: string;
  readonly check: (name: string, given: unknown) => { readonly value?: object | undefined; readonly problems: readonly EntryProblem[] };
  /** As one line, without values that may be secret. */
  readonly show: (value: never) => string;
}

const plain = { isName: isServerName, names: "name of letters, digits, `-` and `_`" };

/** What the entries of each map of the configuration must be. */
export const groupOf: Readonly<Record<string, NamedGroup>> = {
  mcp_servers: {
    what: "a server",
    ...plain,
    check: (_name, given) => {
      const { server: value, problems } = checkServer(given);
      return { value, problems };
    },
    show: (server: ServerConfig) => describeServer(server, "names"),
  },
  agents: {
    what: "an agent",
    ...plain,
    check: (_name, given) => {
      const { agent: value, problems } = checkAgent(given);
      return { value, problems };
    },
    show: (agent: AgentConfig) => describeAgent(agent, "names"),
  },
  roles: { what: "a role", ...plain, check: (_name, given) => checkRole(given), show: (role: RoleConfig) => describeRole(role) },
  people: {
    what: "a person",
    isName: isPersonId,
    names: "id of a platform, `:` and the platform's id of the person, such as `terminal:ada`",
    check: checkPerson,
    show: ({ name, may }: PersonConfig) => `${name} (${may.length === 0 ? "may only read and talk" : `may ${may.join(", ")}`})`,
  },
};
