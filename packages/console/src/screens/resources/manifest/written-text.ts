import type { JsonObject } from '@bufbuild/protobuf';
import { camelCase } from '@svc/api/manifest-forms';
import { isMap, isScalar, isSeq, LineCounter, type Node, type ParsedNode, parseDocument, type Scalar } from 'yaml';
import type { TextProblem } from '../../../ui/editor/editor-types.ts';
import { isMap as isJsonMap } from './json.ts';

/** A manifest as text, read: what it says, and where its fields are. */
export interface WrittenText {
  /** Undefined when the text is not the YAML of one object. */
  readonly json: JsonObject | undefined;
  readonly problems: readonly TextProblem[];
  /** Line of a field such as `spec.steps[2].id`, or of the nearest one around it; from 1. */
  readonly lineOf: (field: string) => number;
}

const ALIASES_MAX = 100;

/** Reads the text of one manifest. Never throws on input. */
export const readWritten = (text: string): WrittenText => {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const problems = document.errors.map(({ message, pos }) => {
    const { line, col } = lines.linePos(pos[0]);
    return { line, column: col, text: message };
  });
  const lineOf = (field: string): number => lines.linePos(offsetOf(document.contents, segmentsOf(field))).line || 1;
  if (problems.length > 0) return { json: undefined, problems, lineOf };
  const json: unknown = document.toJS({ maxAliasCount: ALIASES_MAX });
  if (isJsonMap(json)) return { json, problems, lineOf };
  return {
    json: undefined,
    problems: [{ line: 1, text: 'One object with kind, metadata and spec is expected.' }],
    lineOf,
  };
};

/** `spec.steps[2].id` and `metadata.labels[a.b/c]` in parts. */
const segmentsOf = (field: string): readonly string[] =>
  [...field.matchAll(/\[([^\]]*)\]|[^.[\]]+/g)].map(([whole, inner]) => inner ?? whole);

const offsetOf = (root: ParsedNode | null, segments: readonly string[]): number => {
  let node: Node | null = root;
  let offset = root?.range[0] ?? 0;
  for (const segment of segments) {
    const found = step(node, segment);
    if (found === undefined) return offset;
    offset = found.offset;
    node = found.node;
  }
  return offset;
};

interface Step {
  readonly node: Node | null;
  readonly offset: number;
}

const step = (node: Node | null, segment: string): Step | undefined => {
  if (isSeq<Node>(node)) {
    const item = node.items[Number(segment)];
    return item === undefined ? undefined : { node: item, offset: item.range?.[0] ?? 0 };
  }
  if (!isMap<Scalar, Node | null>(node)) return undefined;
  // A field that holds JSON as text is written under the name without the ending.
  const names = [segment, segment.replace(/Json$/, '')];
  const pair = node.items.find(
    ({ key }) => isScalar(key) && (key.value === segment || names.includes(camelCase(String(key.value)))),
  );
  return pair === undefined ? undefined : { node: pair.value, offset: pair.key.range?.[0] ?? 0 };
};
