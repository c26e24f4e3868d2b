import { isObject, type Json } from "../../../base/index.ts";

/** What older clients call the action for an item. */
export function actionWord(item: Json | undefined): string {
  if (!isObject(item)) return "check";
  if (item["kind"] === "instance") return "convert_instance";
  switch (item["type"]) {
    case "analysis":
      return "analyze_file";
    case "topic_application":
      return "apply_topic";
    case "validation":
      return "validate_file";
    default:
      return "custom_check";
  }
}
