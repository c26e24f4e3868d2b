/** What happens around one call of a port: it may act before and after, and decides whether the call is made. */
export type Around = (name: string, args: readonly unknown[], call: () => Promise<unknown>) => Promise<unknown>;

/** The same port with something around the named asynchronous methods; all others pass through untouched. */
export function around<T extends object>(port: T, names: readonly string[], hook: Around): T {
  return new Proxy(port, {
    get(held, key) {
      const value: unknown = Reflect.get(held, key, held);
      if (typeof value !== "function") return value;
      const method = value as (...args: unknown[]) => Promise<unknown>;
      if (typeof key !== "string" || !names.includes(key)) return method.bind(held);
      return (...args: unknown[]) => hook(key, args, () => method.apply(held, args));
    },
  });
}
