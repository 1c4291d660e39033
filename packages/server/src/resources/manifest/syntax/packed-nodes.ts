import type { ManifestNode, MapMember, ScalarNode } from '../manifest-node.ts';

/**
 * Nodes as JSON values that a thread can send as one text, which is far cheaper to receive than the nodes themselves:
 * `[line, column, value]` for a scalar, with `bigint` or `number` as a fourth item for numbers that JSON lacks,
 * `[line, column, [node, ...], 'list']` and `[line, column, [name, line, column, node, ...], 'map']`.
 */
type Packed = readonly unknown[];

/** The text of a node; `nodeOfText` reads it. */
export const nodeText = (node: ManifestNode): string => JSON.stringify(packed(node));

const packed = (node: ManifestNode): Packed => {
  const { line, column } = node.at;
  if (node.form === 'list') return [line, column, node.items.map(packed), 'list'];
  if (node.form === 'map')
    return [
      line,
      column,
      node.members.flatMap(({ name, at, node: inner }) => [name, at.line, at.column, packed(inner)]),
      'map',
    ];
  const { value } = node;
  if (typeof value === 'bigint') return [line, column, String(value), 'bigint'];
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0)))
    return [line, column, Object.is(value, -0) ? '-0' : String(value), 'number'];
  return [line, column, value];
};

export const nodeOfText = (text: string): ManifestNode => unpacked(JSON.parse(text) as Packed);

const unpacked = ([line, column, value, form]: Packed): ManifestNode => {
  const at = { line: line as number, column: column as number };
  if (form === 'list') return { form, items: (value as readonly Packed[]).map(unpacked), at };
  if (form === 'map') return { form, members: membersOf(value as Packed), at };
  return { form: 'scalar', value: scalarOf(value, form), at };
};

const membersOf = (values: Packed): MapMember[] => {
  const members: MapMember[] = [];
  for (let index = 0; index < values.length; index += 4) {
    const [name, line, column, node] = values.slice(index, index + 4) as [string, number, number, Packed];
    members.push({ name, node: unpacked(node), at: { line, column } });
  }
  return members;
};

const scalarOf = (value: unknown, form: unknown): ScalarNode['value'] => {
  if (form === 'bigint') return BigInt(value as string);
  return form === 'number' ? Number(value) : (value as ScalarNode['value']);
};
