import * as z from "zod";
import { cutText, defined, isWaymarkError, type JsonObject } from "../../base/index.ts";
import { neededInputs, requestInput, type StartableWorkflow } from "../../engine/index.ts";
import { route, type Candidate, type Routed } from "../../router/index.ts";
import { followingData, type Following } from "../../views/index.ts";
import { asManyAsFit, nextLines } from "../reply.ts";
import { joinLines } from "../reply-text.ts";
import { defineTool, type Tool, type ToolCall } from "../tool.ts";

/** A longer request is not repeated in a reply: the agent has it. */
const longestRequest = 500;

/** A candidate, and what a start of it needs. */
interface Startable extends Candidate {
  readonly description: string;
  /** The input that takes the request. */
  readonly takes?: string;
  /** Other inputs that it does not start without, and that the request does not say. */
  readonly needs: readonly string[];
  /** Inputs that the request says. */
  readonly said: JsonObject;
}

export const routeTool: Tool = defineTool({
  name: "workflow_route",
  description: "Rank the workflows that fit what the user asks for. Starts nothing: you choose.",
  returns:
    "`kind` (`route`, `ask`, `converse`), `candidates` with `workflow`, `score`, `why`, `description`, `takes`, `needs`, and what follows",
  reads: true,
  givesParts: false,
  shape: z.object({ request: z.string().min(1).describe("The user's words.") }),
  async run(call, { request }) {
    const workflows = await call.engine.catalog.startable();
    const routed = await route({ message: request, workflows });
    return asManyAsFit(call, await startable(call, { ...routed, message: request }, workflows), (candidates) => {
      const following = followingOf(routed, candidates);
      return {
        text: joinLines([headOf(routed, candidates), ...candidates.map(lineOf), ...nextLines(following)]),
        data: { kind: routed.kind, candidates: candidates.map(dataOf), ...followingData(following) },
      };
    });
  },
});

async function startable(
  call: ToolCall,
  { candidates, message }: Pick<Routed, "candidates"> & { readonly message: string },
  workflows: readonly StartableWorkflow[],
): Promise<readonly Startable[]> {
  const made = await Promise.all(
    candidates.map(async (candidate): Promise<Startable | undefined> => {
      try {
        const { info, program } = await call.engine.catalog.loadValid(candidate.workflow);
        const takes = requestInput(info.inputs);
        const said = call.engine.leaves.said(program, message);
        const keys = Object.entries(call.engine.leaves.needs(program)).flatMap(([name, each]) =>
          each.flatMap((key) => (said[name]?.[key] === undefined ? [`${name}.${key}`] : [])),
        );
        const needs = [...neededInputs(info.inputs).filter((name) => name !== takes), ...keys].slice(0, 12);
        const { description = "" } = workflows.find(({ name }) => name === candidate.workflow) ?? {};
        const about = cutText(description.replaceAll(/\s+/g, " ").trim(), 600);
        return { ...candidate, description: about, needs, said, ...defined({ takes }) };
      } catch (error) {
        // It was changed meanwhile and has errors now.
        if (isWaymarkError(error)) return undefined;
        throw error;
      }
    }),
  );
  return made.filter((each) => each !== undefined);
}

function headOf({ kind }: Routed, candidates: readonly Startable[]): string {
  if (candidates.length === 0)
    return "No workflow shares words with this, and nothing is started. Answer the user, or look for one with workflow_list.";
  if (kind === "route") return "The first one fits, and nothing is started yet:";
  if (kind === "ask") return "It is not clear which one is meant, and nothing is started. Choose by the descriptions, or ask the user:";
  return "This reads like conversation, and nothing is started. Answer the user, unless they clearly want one of these:";
}

function lineOf({ workflow, why, description, takes, needs }: Startable): string {
  const inputs = [
    ...(takes === undefined ? [] : [`takes the request as ${takes}`]),
    ...(needs.length === 0 ? [] : [`needs ${needs.join(", ")}`]),
  ];
  return `- ${workflow}: ${description} (${[cutText(why.join("; "), 120), ...inputs].join("; ")})`;
}

function dataOf({ why, needs, said: _said, ...candidate }: Startable): JsonObject {
  return { ...candidate, why: cutText(why.join("; "), 120), ...(needs.length === 0 ? {} : { needs: [...needs] }) };
}

/** Only a start that is clear and whole is the next call; every other one waits for the choice, or for its inputs. */
function followingOf(routed: Routed, candidates: readonly Startable[]): Following {
  const [first] = candidates;
  if (first === undefined || routed.kind === "converse") return {};
  if (routed.kind === "ask")
    return {
      fill_in: {
        workflow: `one of ${candidates.map(({ workflow }) => workflow).join(", ")}`,
        inputs: "an object, with the request in the input that takes it",
      },
      later: { when: "when it is clear which one is meant", tool: "workflow_start", arguments: {} },
    };
  const start = { tool: "workflow_start", arguments: { workflow: first.workflow } };
  const isWhole = first.needs.length === 0 && (first.takes === undefined || routed.intent.length <= longestRequest);
  if (isWhole) {
    const inputs = { ...first.said, ...(first.takes === undefined ? {} : { [first.takes]: routed.intent }) };
    const given = Object.keys(inputs).length === 0 ? {} : { inputs };
    return { next_call: { ...start, arguments: { ...start.arguments, ...given } } };
  }
  const wanted = [...(first.takes === undefined ? [] : [`${first.takes} (the request, word for word)`]), ...first.needs];
  const known = Object.keys(first.said).length === 0 ? start : { ...start, arguments: { ...start.arguments, inputs: first.said } };
  return { fill_in: { inputs: `an object with ${wanted.join(", ")}` }, later: { when: "when you have its inputs", ...known } };
}
