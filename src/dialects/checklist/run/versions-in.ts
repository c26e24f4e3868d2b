/** The versions of an upgrade that a request names: `from BC23 to BC24`, `BC21 → 27`, `upgrade to BC25`. What is not certain is left out. */
export function versionsIn(request: string): { readonly source_version?: string; readonly target_version?: string } {
  const step = /\bbc\s*(\d{2})(?:\.\d+)?\s*(?:to|->|→|–|-)\s*(?:bc\s*)?(\d{2})\b/i.exec(request);
  if (step !== null) return { source_version: `BC${step[1]}`, target_version: `BC${step[2]}` };
  const named = (word: string): string | undefined => new RegExp(`\\b${word}\\s+bc\\s*(\\d{2})\\b`, "i").exec(request)?.[1];
  const [source, target] = [named("from"), named("to")];
  return {
    ...(source === undefined ? {} : { source_version: `BC${source}` }),
    ...(target === undefined ? {} : { target_version: `BC${target}` }),
  };
}
