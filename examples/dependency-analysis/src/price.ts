import { log } from "./log";
import { discount } from "./discount";

export const price = (): number => {
  log("price");
  return 10 - discount();
};
