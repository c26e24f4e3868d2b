import { isWaymarkError } from "../../src/base/index.ts";
import { botsCodes } from "../../src/dialects/bots/codes.ts";
import { checklistCodes } from "../../src/dialects/checklist/codes.ts";
import { sourceCodes as dialectsCodes } from "../../src/source/index.ts";
import { machineCodes } from "../../src/dialects/machine/codes.ts";
import { stepsCodes } from "../../src/dialects/steps/codes.ts";
import { engineCodes } from "../../src/engine/index.ts";
import { hostCodes } from "../../src/host/index.ts";
import { knowledgeCodes } from "../../src/knowledge/index.ts";
import { mcpCodes } from "../../src/mcp/index.ts";
import { sandboxCodes } from "../../src/sandbox/index.ts";
import { scanCodes } from "../../src/scan/index.ts";
import { stateCodes } from "../../src/state/index.ts";
import { storeCodes } from "../../src/store/index.ts";
import { workspaceCodes } from "../../src/workspace/index.ts";

const listed = new Set(
  [
    stepsCodes,
    checklistCodes,
    botsCodes,
    machineCodes,
    dialectsCodes,
    engineCodes,
    hostCodes,
    knowledgeCodes,
    mcpCodes,
    sandboxCodes,
    scanCodes,
    stateCodes,
    storeCodes,
    workspaceCodes,
  ].flatMap((codes) => Object.keys(codes)),
);

/** Listed, but it stands for a failure that nobody foresaw: here that is a finding. */
const unforeseen = "MCP_UNEXPECTED";

/** The code itself when it is listed. Throws when it is not, or when it hides a bug. */
export function listedCode(code: string, message: string): string {
  if (code === unforeseen) throw new Error(`An answer hides a failure: ${message}`);
  if (!listed.has(code)) throw new Error(`The code ${code} is not listed: ${message}`);
  return code;
}

/** Says how a call was answered: `ok`, or the listed code of its refusal. */
export async function answered(call: () => Promise<unknown>): Promise<string> {
  try {
    await call();
    return "ok";
  } catch (error) {
    if (isWaymarkError(error)) return listedCode(error.code, error.message);
    throw error;
  }
}
