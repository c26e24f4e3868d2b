import { perimeter } from "./shapes";

export const walk = (side: any): number => perimeter(side);
