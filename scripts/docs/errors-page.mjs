// @ts-check
import { loadRooms } from "./load-rooms.mjs";

/** Every code of every room: what it means, why it comes, what to do. */
export async function errorsPage() {
  const { catalogues } = await loadRooms();
  const parts = ["# Error codes", "", "Codes are permanent. Each message names what happened and what to do; this page adds why.", ""];
  for (const [title, codes] of Object.entries(catalogues)) {
    parts.push(`## ${title}`, "", "| code | what | why | what to do |", "|---|---|---|---|");
    for (const [code, entry] of Object.entries(codes).sort(([a], [b]) => (a < b ? -1 : 1)))
      parts.push(`| \`${code}\` | ${cell(entry.what)} | ${cell(entry.why)} | ${cell(entry.fix)} |`);
    parts.push("");
  }
  return `${parts.join("\n").trimEnd()}\n`;
}

/** @param {string} text */
function cell(text) {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
