import { canonicalJson, type JsonData } from '../canonical-json.ts';

/** A position in the input; line and column count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Parsed input with the position of every value; integers stay exact. */
export type ManifestNode = ScalarNode | ListNode | MapNode;

export interface ScalarNode {
  readonly form: 'scalar';
  readonly value: string | number | bigint | boolean | null;
  readonly at: Position;
}

export interface ListNode {
  readonly form: 'list';
  readonly items: readonly ManifestNode[];
  readonly at: Position;
}

export interface MapNode {
  readonly form: 'map';
  readonly members: readonly MapMember[];
  readonly at: Position;
}

export interface MapMember {
  readonly name: string;
  readonly node: ManifestNode;
  /** Position of the name. */
  readonly at: Position;
}

/** The node of a member that exists and is not null. */
export const memberNode = (map: MapNode, ...names: readonly string[]): ManifestNode | undefined => {
  const found = map.members.find((member) => names.includes(member.name))?.node;
  return found === undefined || isNullNode(found) ? undefined : found;
};

/** True for an explicit null. */
export const isNullNode = (node: ManifestNode): boolean => node.form === 'scalar' && node.value === null;

/** Text of a scalar that is a string, '' for anything else; for names in messages before they are checked. */
export const textOf = (node: ManifestNode | undefined): string =>
  node?.form === 'scalar' && typeof node.value === 'string' ? node.value : '';

/** The node as JSON; integers that JSON cannot hold exactly, and numbers it does not know, become text. */
export const nodeJson = (node: ManifestNode): JsonData => {
  if (node.form === 'list') return node.items.map(nodeJson);
  if (node.form === 'map')
    return Object.fromEntries(node.members.map((member) => [member.name, nodeJson(member.node)]));
  const { value } = node;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
};

/** Canonical JSON text of a node, as `*_json` fields hold it. */
export const nodeJsonText = (node: ManifestNode): string => canonicalJson(nodeJson(node));
