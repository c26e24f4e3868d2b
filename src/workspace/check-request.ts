import type { ScanRequest } from "../ports/index.ts";
import { compileRules } from "../scan/index.ts";
import { realRoot } from "./root-path.ts";

/** A request whose rules can be used, with the real path of its root. Refused here, once, and not by every thread. */
export function checkRequest({ root, rules, hash = true, ...rest }: ScanRequest): ScanRequest & { readonly hash: boolean } {
  compileRules(rules);
  return { ...rest, root: realRoot(root), rules, hash };
}
