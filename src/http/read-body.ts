import type { IncomingMessage } from "node:http";
import { isObject, jsonOrText, type JsonObject } from "../base/index.ts";
import { badBody, failed } from "./codes.ts";

const longestBody = 1024 * 1024;
/** What is longer is read up to here, so that a client that still sends can read why it was refused. */
const mostRead = 64 * longestBody;

/** The JSON object that a request sends; throws `HTTP_BODY`, and the code that is given for one that is too long. */
export async function readBody(request: IncomingMessage, tooLong: "HTTP_BODY" | "HTTP_TOO_LONG" = "HTTP_BODY"): Promise<JsonObject> {
  // A page of another site can send other types without asking first.
  if (!/^application\/json\b/i.test(request.headers["content-type"] ?? "")) throw badBody("is not marked as `application/json`");
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= longestBody) chunks.push(chunk);
    else if (size > mostRead) break;
  }
  if (size > longestBody) throw failed(tooLong, { message: `The body of the request is longer than ${longestBody} bytes.` });
  const parsed = jsonOrText(Buffer.concat(chunks).toString("utf8"));
  if (!isObject(parsed)) throw badBody("is not a JSON object");
  return parsed;
}
