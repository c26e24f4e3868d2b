import type { Writable } from "../placing.ts";
import { objectAt, objectsAt, textAt, textsAt, wholeAt, type Fields } from "../json/fields.ts";

/** A message as a result gives it: as text, or as the name of one that the rule has. */
export interface Message {
  readonly text?: string;
  readonly id?: string;
  readonly arguments?: readonly string[];
  /** Numbers of places in the result that a link in the text may lead to. */
  readonly links?: readonly number[];
}

export function messageOf(fields: Fields): Message {
  const message = objectAt(fields, "message");
  if (message === undefined) return {};
  const given = textsAt(message, "arguments");
  const text = textAt(message, "text") || textAt(message, "markdown") || undefined;
  const places = ["relatedLocations", "locations"].flatMap((key) => objectsAt(fields, key));
  const links = places.flatMap((place) => wholeAt(place, "id", 0) ?? []);
  const kept: Writable<Message> = {};
  if (text !== undefined) kept.text = text;
  const id = text === undefined ? textAt(message, "id") : undefined;
  if (id !== undefined) kept.id = id;
  if (given.length > 0) kept.arguments = given;
  if (links.length > 0) kept.links = links;
  return kept;
}

/** The text with its arguments filled in, and links to places of the result as plain words. */
export function messageText(text: string, { arguments: given, links }: Message): string {
  const filled =
    given === undefined
      ? text
      : text.replace(/\{\{|\}\}|\{(\d{1,9})\}/g, (found, index?: string) =>
          index === undefined ? found.charAt(0) : (given[Number(index)] ?? found),
        );
  return links === undefined ? filled : withoutLinks(filled, links);
}

/** `[input](1)`: the words stay. Brackets and backslashes in them are escaped. */
function withoutLinks(text: string, links: readonly number[]): string {
  return text.replace(/\[((?:[^[\]\\]|\\.){0,1000})\]\((\d{1,9})\)/g, (found, words: string, link: string) =>
    links.includes(Number(link)) ? words.replace(/\\([[\]\\])/g, "$1") : found,
  );
}
