import { own } from "../../../base/index.ts";
import { placeholderNames } from "./vocabulary.ts";

const placeholder = /\{\{\s*([^{}]*?)\s*\}\}/g;

/**
 * Puts values into `{{placeholders}}`, whichever spelling is used for them. What has no value here stays as it is, and `missing` is
 * called with its name.
 */
export function fillPlaceholders(
  text: string,
  values: Readonly<Record<string, string>>,
  missing?: (name: string, offset: number) => void,
): string {
  return text.replaceAll(placeholder, (written: string, name: string, offset: number) => {
    const value = own(values, own(placeholderNames, name) ?? name);
    if (value === undefined) missing?.(name, offset);
    return value ?? written;
  });
}
