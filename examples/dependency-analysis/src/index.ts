export { order } from "./order";
export { log } from "./log";
