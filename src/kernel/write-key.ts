const form = /^([ad]\d+)@v\d+$/;

/** The key that a step is handed out with for the writes of its holder, as long as the state is at this version. */
export function writeKey(handOut: string, version: number): string {
  return `${handOut}@v${version}`;
}

/** The hand-out that such a key is for; undefined for a key that a client made up. */
export function handOutOfKey(key: string): string | undefined {
  return form.exec(key)?.[1];
}
