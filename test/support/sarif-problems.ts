import { createRequire } from "node:module";
import Ajv from "ajv";

const require = createRequire(import.meta.url);
const ajv = new Ajv({ schemaId: "auto", allErrors: true });
ajv.addMetaSchema(require("ajv/lib/refs/json-schema-draft-04.json") as object);
const isValid = ajv.compile(require("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json") as object);

/** What the published schema of SARIF 2.1.0 says against a document; empty when it is valid. */
export function sarifProblems(document: unknown): readonly string[] {
  return isValid(document) === true ? [] : (isValid.errors ?? []).map(({ dataPath, message }) => `${dataPath} ${message ?? ""}`);
}
