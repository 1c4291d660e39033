import type { FindingReport } from './manifest-finding.ts';
import {
  type ManifestNode,
  type MapMember,
  type MapNode,
  memberNode,
  type ScalarNode,
  textOf,
} from './manifest-node.ts';

/** Where texts outside of a manifest come from; undefined = not there. */
export interface OutsideTexts {
  /** Relative to the manifest. */
  readonly file: (path: string) => string | undefined;
  readonly variable: (name: string) => string | undefined;
}

/** Members that name a file, and the field its text goes to, by kind (PL-1.2). */
const FILE_MEMBERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Knowledge: { contentFromFile: 'content' },
  Skill: { instructionsFromFile: 'instructions' },
};

/** Puts texts of files and of the environment where a manifest only names them. */
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
  const names = FILE_MEMBERS[source.kind] ?? {};
  const members = spec.members.map((member): MapMember => {
    const name = names[member.name];
    if (name === undefined) return member;
    return {
      ...member,
      name,
      node: textNode(member, { read: source.texts.file, field: `spec.${member.name}` }, report),
    };
  });
  return { ...spec, members };
};

interface Reading {
  readonly read: (name: string) => string | undefined;
  readonly field: string;
}

const textNode = (member: MapMember, reading: Reading, report: FindingReport): ScalarNode => {
  const { node } = member;
  const name = textOf(node);
  const value = name === '' ? undefined : reading.read(name);
  if (value === undefined)
    report.add(node.at, reading.field, { text: `there is no ${name === '' ? 'name' : name}`, reason: 'FILE_MISSING' });
  return { form: 'scalar', value: value ?? '', at: node.at };
};

/** `fromFile` and `fromEnv` of a Secret become plain values. */
const fillSecret = (spec: MapNode, texts: OutsideTexts, report: FindingReport): MapNode => {
  const sources = { fromFile: texts.file, fromEnv: texts.variable };
  const added: MapMember[] = [];
  for (const [name, read] of Object.entries(sources)) {
    const source = memberNode(spec, name);
    if (source === undefined) continue;
    if (source.form === 'map')
      for (const member of source.members)
        added.push({ ...member, node: textNode(member, { read, field: `spec.${name}[${member.name}]` }, report) });
    else report.add(source.at, `spec.${name}`, { text: 'must be a map' });
  }
  if (added.length === 0) return spec;
  const rest = spec.members.filter(
    ({ name }) => !Object.hasOwn(sources, name) && name !== 'stringData' && name !== 'string_data',
  );
  const given = memberNode(spec, 'stringData', 'string_data');
  const plain = given?.form === 'map' ? given.members : [];
  const node: MapNode = { form: 'map', members: [...plain, ...added], at: spec.at };
  return { ...spec, members: [...rest, { name: 'stringData', node, at: spec.at }] };
};
