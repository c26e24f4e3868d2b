/** new Buffer('in a comment') stays. */
export function encode(text: string): string {
  const prefix = new Buffer("order:");
  const suffix = new Buffer('it\'s (done)').toString("hex");
  const body = new Buffer(text);
  const padding = new Buffer(16);
  const latin = new Buffer("é", "latin1");
  return Buffer.concat([prefix, body, padding, latin]).toString("base64") + suffix + "new Buffer('x')";
}
