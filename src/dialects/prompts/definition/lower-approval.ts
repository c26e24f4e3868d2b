import type { BlockId, Expr, Write } from "../../../program/index.ts";
import { condition, value } from "../../../source/index.ts";
import type { GraphNode, NodeWork } from "./graph-definition.ts";
import { filledText, reopenedPlace } from "./graph-expressions.ts";
import { agentNode, setBlock, setNode, type GraphSheet } from "./node-blocks.ts";

type Approval = Extract<NodeWork, { readonly kind: "approval" }>;

const answers = [
  { value: "approve", label: "Approve" },
  { value: "reject", label: "Reject" },
];

/** A question for a person. A rejection begins its rework, as often as it may, and else cancels the run. */
export function lowerApproval(node: GraphNode, does: Approval, sheet: GraphSheet): readonly BlockId[] {
  const { block, id } = node;
  const { put, scope } = sheet;
  const { decisions, captureResponse, onReject } = does;
  // A node that others may open again has the reason of the one that did.
  const rejection = scope.rejection ?? `${answerOf(block)}?.reason ?? ""`;
  const readsAll = decisions !== undefined || captureResponse;
  const options = decisions?.map(({ id: word, label }) => ({ value: word, ...(label === undefined ? {} : { label }) })) ?? answers;
  const ask = put({
    id: block,
    kind: "do",
    who: "person",
    what: "user_input",
    args: { prompt: filledText(does.message, { ...scope, rejection }) },
    writes: [{ path: given(block), op: "set" }],
    ask: { answerBy: "person", decision: id, options, reasons: true, ...(readsAll ? {} : { reasonsFor: ["reject"] }) },
    name: value(id),
  });
  const [answer, reason] = [`${answerOf(block)}.answer`, `${answerOf(block)}.reason`];
  if (decisions !== undefined) {
    const said = { decision: `{{ ${answer} }}`, text: `{{ ${reason} }}` };
    const output = `{{ JSON.stringify({ decision: ${answer}, text: ${reason} }) }}`;
    return [ask, put(setBlock(`${block}$kept`, [setNode(block, { status: "completed", output, fields: said })]))];
  }
  const output = captureResponse ? `{{ ${reason} }}` : "";
  const approved = put(setBlock(`${block}$approved`, [setNode(block, { status: "completed", output })]));
  const cancel = put({
    id: `${block}$cancel`,
    kind: "leave",
    how: "cancel",
    message: value(rejectedText(node)),
  });
  const rejected = onReject === undefined ? cancel : rework(node, onReject, cancel, sheet);
  const branches = [{ when: condition(`${answer} === "approve"`), then: approved }];
  const round = put({
    id: `${block}$asked`,
    kind: "seq",
    blocks: [ask, put({ id: `${block}$answered`, kind: "choose", branches, otherwise: rejected })],
  });
  if (onReject === undefined) return [round];
  // The last rejection cancels, so there are never more rounds than rejections and one.
  return [
    put({
      id: `${block}$rounds`,
      kind: "repeat",
      max: onReject.maxAttempts + 1,
      onLimit: "fail",
      until: condition(`${answer} === "approve"`),
      body: round,
    }),
  ];
}

/** Why the run ends, or a node runs again. */
function rejectedText({ block, id }: GraphNode): string {
  const reason = `${answerOf(block)}.reason`;
  return `\`${id}\` was rejected{{ ${reason} === "" ? "." : ": " + ${reason} }}`;
}

function answerOf(block: string): string {
  return `raw.answers[${JSON.stringify(block)}]`;
}

function given(block: string): Expr {
  return { as: "path", of: answerOf(block) };
}

/** What a rejection leads to: counted over the whole run, since nodes that are opened again bring the question back. */
function rework(node: GraphNode, onReject: NonNullable<Approval["onReject"]>, cancel: BlockId, sheet: GraphSheet): BlockId {
  const { block, id } = node;
  const { put } = sheet;
  const times = `raw.rejections[${JSON.stringify(block)}]`;
  const reason = `{{ ${answerOf(block)}.reason }}`;
  const { prompt, reopens, maxAttempts } = onReject;
  const reopened = sheet.reopenedBy(node).map((key) => reopenedPlace(key));
  const counted = put(
    setBlock(`${block}$rejected`, [
      { path: { as: "path", of: times }, op: "set", value: value(`{{ (${times} ?? 0) + 1 }}`) },
      ...["raw.rejection", ...reopened].map((of): Write => ({ path: { as: "path", of }, op: "set", value: value(reason) })),
    ]),
  );
  const own = { ...sheet, scope: { ...sheet.scope, rejection: `${answerOf(block)}.reason` } };
  const again = [
    ...(prompt === undefined ? [] : agentNode(node, { id: `${block}$rework`, prompt, name: `${id}-rework` }, own)),
    ...(reopens.length === 0
      ? []
      : [
          put({
            id: `${block}$reopen`,
            kind: "leave" as const,
            how: "reopen" as const,
            items: reopens,
            message: value(rejectedText(node)),
          }),
        ]),
  ];
  const redo = put({ id: `${block}$again`, kind: "seq", blocks: again });
  const branches = [{ when: condition(`${times} >= ${maxAttempts}`), then: cancel }];
  return put({
    id: `${block}$reject`,
    kind: "seq",
    blocks: [counted, put({ id: `${block}$spent`, kind: "choose", branches, otherwise: redo })],
  });
}
