import { price } from "./price";
import { log } from "./log";

export const discount = (): number => {
  log("discount");
  return price.length;
};
