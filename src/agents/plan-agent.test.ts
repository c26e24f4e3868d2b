import { expect, test } from "vitest";
import { planAgent } from "./plan-agent.ts";

test("an agent that Waymark does not know counts what the protocol reports: tokens of the turn, cost of the session", () => {
  const configured = { mine: { command: ["mine"], from: "user" } };
  expect(planAgent("mine", { workspace: "/", configured, env: {} }).spec.usage).toEqual({ tokens: "turn", cost: "session" });
});
