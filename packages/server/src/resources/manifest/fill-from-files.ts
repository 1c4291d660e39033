import { isUtf8 } from 'node:buffer';
import type { FindingReport } from './manifest-finding.ts';
import {
  type ManifestNode,
  type MapMember,
  type MapNode,
  memberNode,
  type ScalarNode,
  textOf,
} from './manifest-node.ts';

/** Reads files and variables that a manifest refers to; undefined = does not exist. */
export interface OutsideTexts {
  /** Bytes of a file; the path is relative to the manifest. */
  readonly file: (path: string) => Uint8Array | undefined;
  readonly variable: (name: string) => string | undefined;
}

/** Members that name a file, and the field its text goes to, by kind. */
const FILE_MEMBERS: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map([
  ['Knowledge', { contentFromFile: 'content' }],
  ['Skill', { instructionsFromFile: 'instructions' }],
]);

/** Replaces references to files and variables in a manifest by their contents, unchanged. */
export const fillFromFiles = (node: ManifestNode, texts: OutsideTexts, report: FindingReport): ManifestNode => {
  if (node.form !== 'map') return node;
  const spec = memberNode(node, 'spec');
  if (spec?.form !== 'map') return node;
  const kind = textOf(memberNode(node, 'kind'));
  const filled = kind === 'Secret' ? fillSecret(spec, texts, report) : fillText(spec, { kind, texts }, report);
  const members = node.members.map((member) => (member.node === spec ? { ...member, node: filled } : member));
  return { ...node, members };
};

const fillText = (
  spec: MapNode,
  source: { readonly kind: string; readonly texts: OutsideTexts },
  report: FindingReport,
): MapNode => {
  const names = new Map(Object.entries(FILE_MEMBERS.get(source.kind) ?? {}));
  const members = spec.members.map((member): MapMember => {
    const name = names.get(member.name);
    if (name === undefined) return member;
    const found = outside(member, { read: source.texts.file, field: `spec.${member.name}` }, report);
    const value = typeof found === 'string' ? found : utf8Text(found);
    if (value === undefined) report.add(member.node.at, `spec.${member.name}`, { text: 'is not UTF-8 text' });
    return { ...member, name, node: { form: 'scalar', value: value ?? '', at: member.node.at } };
  });
  return { ...spec, members };
};

interface Reading {
  readonly read: (name: string) => string | Uint8Array | undefined;
  readonly field: string;
}

/** The content that a member refers to; '' after reporting that it does not exist. */
const outside = ({ node }: MapMember, reading: Reading, report: FindingReport): string | Uint8Array => {
  const name = textOf(node);
  const value = name === '' ? undefined : reading.read(name);
  if (value === undefined)
    report.add(node.at, reading.field, { text: `there is no ${name === '' ? 'name' : name}`, reason: 'FILE_MISSING' });
  return value ?? '';
};

/** Undefined for bytes that are not UTF-8. */
const utf8Text = (bytes: Uint8Array): string | undefined =>
  isUtf8(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8') : undefined;

/** `fromFile` and `fromEnv` of a Secret become values like the others: plain ones, or base64 if they are not text. */
const fillSecret = (spec: MapNode, texts: OutsideTexts, report: FindingReport): MapNode => {
  const sources = { fromFile: texts.file, fromEnv: texts.variable };
  const plain: MapMember[] = [];
  const encoded: MapMember[] = [];
  for (const [source, read] of Object.entries(sources)) {
    const map = memberNode(spec, source);
    if (map !== undefined && map.form !== 'map') report.add(map.at, `spec.${source}`, { text: 'must be a map' });
    for (const member of map?.form === 'map' ? map.members : []) {
      const found = outside(member, { read, field: `spec.${source}[${member.name}]` }, report);
      const text = typeof found === 'string' ? found : utf8Text(found);
      const value = text ?? Buffer.from(found as Uint8Array).toString('base64');
      const node: ScalarNode = { form: 'scalar', value, at: member.node.at };
      (text === undefined ? encoded : plain).push({ ...member, node });
    }
  }
  if (plain.length + encoded.length === 0) return spec;
  const added = new Set([...plain, ...encoded].map(({ name }) => name));
  const joined = (members: readonly MapMember[], name: string, other: string): MapMember[] => {
    const given = memberNode(spec, name, other) ?? { form: 'map', members: [], at: spec.at };
    // A value that is not a map is refused later, with all other fields.
    if (given.form !== 'map') return [{ name, node: given, at: given.at }];
    const kept = given.members.filter((member) => !added.has(member.name));
    const node: MapNode = { ...given, members: [...kept, ...members] };
    return node.members.length === 0 ? [] : [{ name, node, at: given.at }];
  };
  const rest = spec.members.filter(({ name }) => !REPLACED.has(name));
  return {
    ...spec,
    members: [...rest, ...joined(encoded, 'data', 'data'), ...joined(plain, 'stringData', 'string_data')],
  };
};

/** Members of a Secret that are replaced. */
const REPLACED: ReadonlySet<string> = new Set(['fromFile', 'fromEnv', 'data', 'stringData', 'string_data']);
