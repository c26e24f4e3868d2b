/** Memory for a text and its tokens, of which there cannot be more than units. Two zeros follow the text. */
export interface Room {
  readonly units: Uint16Array;
  readonly bytes: Buffer;
  readonly kinds: Uint8Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** A token is marked twice at most: a name as itself and for the number behind it. */
  readonly marks: Int32Array;
}

/** Room for longer texts is not kept. */
const keptUnits = 1 << 18;
let kept: Room = makeRoom(0);

function makeRoom(count: number): Room {
  const units = new Uint16Array(count);
  return {
    units,
    bytes: Buffer.from(units.buffer),
    kinds: new Uint8Array(count),
    starts: new Int32Array(count),
    ends: new Int32Array(count),
    marks: new Int32Array(count),
  };
}

/** The room for a text, with its units written. It is used by one pass at a time. */
export function roomFor(text: string): Room {
  const needed = text.length + 2;
  let room = kept;
  if (needed > kept.units.length) {
    room = makeRoom(Math.max(needed, Math.min(keptUnits, needed * 2)));
    if (needed <= keptUnits) kept = room;
  }
  // Units in memory are quicker to read than those of a string.
  const { units } = room;
  if (littleEndian) room.bytes.write(text, "utf16le");
  else for (let at = 0; at < text.length; at += 1) units[at] = text.charCodeAt(at);
  units.fill(0, text.length, needed);
  return room;
}

const littleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
