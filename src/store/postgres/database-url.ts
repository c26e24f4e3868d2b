import { isReadableAddress } from "../../base/index.ts";
import { cannotOpen } from "../store-errors.ts";

/** Refuses what is not an address without repeating it, since a part of it may be a password. */
export function requireDatabaseUrl(url: string): void {
  if (!isReadableAddress(url) || !isEncoded(url))
    throw cannotOpen(
      "postgres://",
      "its address cannot be read; characters such as `@`, `:`, `/`, `?`, `#` and `%` in a password are written as `%40`, `%3A`, `%2F`, `%3F`, `%23` and `%25`",
    );
}

function isEncoded(url: string): boolean {
  try {
    return decodeURIComponent(url) !== "";
  } catch {
    return false;
  }
}
