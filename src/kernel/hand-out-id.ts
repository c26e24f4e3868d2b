/** What agents and people know an open step by: the author's name for it, and the id that no other hand-out of the run has. */
export function handOutId(step: string, id: string): string {
  return `${step}@${id}`;
}

/** The two parts of such an id; undefined when the text is not of that form. */
export function readHandOutId(text: string): { readonly step: string; readonly id: string } | undefined {
  const at = text.lastIndexOf("@");
  return at <= 0 || at === text.length - 1 ? undefined : { step: text.slice(0, at), id: text.slice(at + 1) };
}

/** Whether it has the form that the kernel gives to ids of steps and questions. An author may call a step so too. */
export function isMinted(id: string): boolean {
  return /^[ad]\d+$/.test(id);
}
