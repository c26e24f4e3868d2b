import type { ErrorCallType } from "./classify-error.ts";

export interface ErrorCallAdvice {
  /** Name of the group that the type belongs to in older reports. */
  readonly seedType: string;
  readonly needs: "auto" | "review" | "manual";
  readonly action: string;
  /** Why the engine does not fix it. */
  readonly why?: string;
  /** It is certainly nothing to convert. */
  readonly nothing?: true;
  /** What goes behind the opening and before the closing bracket, for a single argument and for several. */
  readonly wrap?: "create" | "format" | "by_count";
}

const label = "Make the text a Label whose Comment explains the placeholders, and pass it to Error.";

/** What each type of call asks for. Calls that already use ErrorInfo are not listed. */
export const errorCallAdvice: Readonly<Record<Exclude<ErrorCallType, "errorinfo">, ErrorCallAdvice>> = {
  silent_abort: {
    seedType: "literal",
    needs: "review",
    action: "Leave it as it is.",
    why: "An empty text ends the execution without a message, which an ErrorInfo does not do.",
    nothing: true,
  },
  getlasterror: {
    seedType: "getlasterror",
    needs: "manual",
    action: "Decide whether the error should be raised again at all, and with which details of its origin.",
    why: "It passes on the text of an earlier error.",
  },
  strsubstno_label: {
    seedType: "strsubstno_with_constant",
    needs: "review",
    action: "Pass the label and its values to Error directly, or wrap the text in ErrorInfo.Create where details are added.",
    why: "Telemetry has the text only if Error receives the label itself.",
    wrap: "create",
  },
  strsubstno_literal: {
    seedType: "strsubstno_with_constant",
    needs: "review",
    action: label,
    why: "Its text should become a label.",
    wrap: "create",
  },
  strsubstno_other: {
    seedType: "strsubstno_with_constant",
    needs: "review",
    action: "Find out where the format comes from; use a label for it if it can be one.",
    why: "The format is neither a label nor a literal.",
    wrap: "create",
  },
  literal: { seedType: "literal", needs: "auto", action: "Wrap the text in ErrorInfo.Create, or better make it a Label.", wrap: "create" },
  literal_args: {
    seedType: "strsubstno",
    needs: "auto",
    action: "Wrap text and values in ErrorInfo.Create(StrSubstNo(...)), or better make the text a Label.",
    wrap: "format",
  },
  literal_mismatch: {
    seedType: "other",
    needs: "review",
    action: "Make placeholders and values agree, then make the text a Label.",
    why: "The text has placeholders but no values, or values but no placeholders.",
  },
  label: {
    seedType: "text_constant",
    needs: "review",
    action: "Keep it, or wrap it in ErrorInfo.Create where a record, a field, an action or a title is added.",
    why: "Telemetry may lose the text of the label when it is wrapped.",
    wrap: "create",
  },
  label_args: {
    seedType: "text_constant_args",
    needs: "review",
    action: "Keep it, or wrap it in ErrorInfo.Create(StrSubstNo(...)) where a record, a field, an action or a title is added.",
    why: "Telemetry may lose the text of the label when it is wrapped.",
    wrap: "format",
  },
  text_var: {
    seedType: "text_constant",
    needs: "review",
    action: "Find out where the text comes from; use a label for it if it can be one.",
    why: "The text is put together elsewhere.",
    wrap: "by_count",
  },
  function_call: {
    seedType: "function_call",
    needs: "manual",
    action: "Let the function return an ErrorInfo, or a text that a label gives.",
    why: "What the function returns cannot be seen at the call.",
  },
  member: {
    seedType: "function_call",
    needs: "manual",
    action: "Look at what the other object gives; it may already be an ErrorInfo.",
    why: "The member belongs to another object.",
  },
  indexed: {
    seedType: "other",
    needs: "manual",
    action: "Look at what the array holds; use labels for its texts if they can be ones.",
    why: "The text is an element of an array.",
  },
  concat: { seedType: "other", needs: "manual", action: label, why: "The text is put together from parts, which cannot be translated." },
  expression: { seedType: "other", needs: "manual", action: label, why: "The argument is an expression." },
  unresolved: {
    seedType: "other",
    needs: "review",
    action: "Look up what the name is; it may be a field or belong to another object.",
    why: "The name is declared nowhere in this file.",
  },
};

/** A function call whose function can be seen to return an ErrorInfo. */
export const alreadyErrorInfo: ErrorCallAdvice = {
  seedType: "function_call",
  needs: "review",
  action: "Leave it as it is.",
  why: "The procedure already returns an ErrorInfo.",
};
