import { price } from "./price";
import { log } from "./log";

export const order = (count: number): number => {
  log("order");
  return count * price();
};
