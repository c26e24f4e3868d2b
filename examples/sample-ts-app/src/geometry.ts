export module Shapes {
  export interface Point {
    x: number;
    y: number;
  }
}

declare module Legacy.Units {
  const factor: number;
}

declare module "untyped-library" {
  export function load(name: string): unknown;
}

export function module(name: string): string {
  return `module ${name} { }`;
}
