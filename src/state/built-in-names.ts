/** Names that JavaScript itself explains. */
export const builtInNames: ReadonlySet<string> = new Set(
  (
    "undefined NaN Infinity globalThis JSON Math Reflect Atomics Object Array String Number Boolean Symbol BigInt Function Date RegExp Proxy Promise Iterator " +
    "Map Set WeakMap WeakSet WeakRef ArrayBuffer SharedArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array " +
    "Float32Array Float64Array BigInt64Array BigUint64Array Error TypeError RangeError SyntaxError ReferenceError EvalError URIError AggregateError " +
    "parseInt parseFloat isNaN isFinite encodeURI encodeURIComponent decodeURI decodeURIComponent escape unescape eval arguments"
  ).split(" "),
);
