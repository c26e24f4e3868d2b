import type { CallSpec, Following } from "../../../views/index.ts";

/** What an agent has to do next, however it was found. Lines and columns count from 1. */
export interface CheckAction extends Following {
  /** `analyze_file`, `apply_topic`, `convert_instance`, `complete_workflow` ... */
  readonly action: string;
  readonly actionId: string;
  readonly instruction: string;
  readonly file?: string;
  /** Id of the checklist entry or instance. */
  readonly item?: string;
  readonly line?: number;
  readonly column?: number;
  readonly match_text?: string;
  readonly context?: string;
  readonly suggested_fix?: string;
  /** Given once for each type. */
  readonly specialist_guidance?: string;
  readonly topic_id?: string;
  readonly guide_section?: string;
  /** Text of the guide's section; given once for each section. */
  readonly guide_content?: string;
  readonly instance_type?: string;
  /** The tool that does the work, with its arguments. */
  readonly tool_call?: CallSpec;
  /** A decision: what a person may choose, and what is recommended. */
  readonly options?: readonly ActionOption[];
  readonly recommended?: string;
}

export interface ActionOption {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
}

export function isDecision(action: CheckAction): boolean {
  return action.options !== undefined;
}
