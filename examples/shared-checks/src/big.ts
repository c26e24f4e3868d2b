import { area } from "./shapes";

export const big = (side: number): boolean => area(side) == 100;
