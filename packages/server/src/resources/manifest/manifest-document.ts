import { create, type DescMessage, fromJson, type JsonValue, type Message, toJson } from '@bufbuild/protobuf';
import { RawResourceSpecSchema, type ResourceMeta, ResourceMetaSchema } from '@svc/api/resources';
import { isUuidV7 } from '../../base/index.ts';
import { canonicalJson, isJsonMap, type JsonData, type JsonMap, specNormaliser } from '../canonical-json.ts';
import { fileName, SYSTEM_NAMESPACE } from '../identifiers/index.ts';
import { API_VERSION, canonicalApiVersion, findKind, type KindRow, kindRow, kinds } from '../kinds.ts';
import { type RecordKey, recordKey } from '../record.ts';
import { settleSpec } from './forms/index.ts';
import { FindingReport } from './manifest-finding.ts';
import { type ManifestNode, type MapNode, memberNode, nodeJson, textOf } from './manifest-node.ts';
import { MessageReader } from './message-reader.ts';
import { adviceFor } from './nearest-name.ts';

/** One document as far as it could be read. `resource` is set when its form has no errors. */
export interface ManifestDocument {
  readonly index: number;
  /** As written, '' where it could not be read; for reports. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly report: FindingReport;
  /** As it was read, after `prepare`. */
  readonly node: ManifestNode;
  readonly resource?: ManifestResource;
}

export interface ManifestResource {
  readonly key: RecordKey;
  readonly apiVersion: string;
  /** Undefined for custom kinds. */
  readonly row: KindRow | undefined;
  readonly metadata: ResourceMeta;
  readonly spec: Message;
  /** The content of the document, as JSON in stored form: `metadata.labels`, `metadata.annotations` and `spec`. */
  readonly said: JsonMap;
}

export interface ReadOptions {
  /** For documents that name no namespace. */
  readonly namespace: string;
  /** Documents may not name another one. */
  readonly isNamespaceFixed?: boolean;
  /** Documents may name the uid of a new resource. */
  readonly keepsUids?: boolean;
  /** Changes a document before it is checked: the command line's files and variables. */
  readonly prepare?: (node: ManifestNode, report: FindingReport) => ManifestNode;
}

const TOP = ['apiVersion', 'kind', 'metadata', 'spec'] as const;
const SERVER_OWNED: ReadonlySet<string> = new Set(['uid', 'generation', 'deletionTimestamp']);
/** The form of a uid that a new resource may keep. */
export const UID_FORM = 'must be a UUIDv7 in lower case, or left out';
const CUSTOM_KIND = /^[A-Za-z][A-Za-z0-9]{0,62}$/;
const AGENT_TEMPLATE = 'AgentTemplate';
/** Leading and trailing parts that a stored path does not have. The look-behind keeps a run of slashes from being tried at each of them. */
const OUTER_SLASHES = /^\/+|(?<!\/)\/+$/g;

/** Reads one document by all rules of form, and reports every error. */
export const readDocument = (index: number, read: ManifestNode, options: ReadOptions): ManifestDocument => {
  const report = new FindingReport(index, read.at);
  const node = options.prepare?.(read, report) ?? read;
  if (node.form !== 'map') {
    report.add(node.at, '', { text: 'a document must be a map with apiVersion, kind, metadata and spec' });
    return { index, kind: '', namespace: '', name: '', report, node };
  }
  const map = topMembers(node, report);
  const isTemplate = textOf(memberNode(map, 'kind')) === AGENT_TEMPLATE;
  const names = writtenNames(map);
  const kind = readKind(map, report);
  const metadata = readMetadata(map, report, options);
  const base = { index, kind: names.kind, name: names.name, report, node };
  const assumed = isTemplate ? SYSTEM_NAMESPACE : names.namespace === '' ? options.namespace : names.namespace;
  const isRoot = kind?.row?.scope === 'root';
  const said = { ...base, namespace: isRoot ? '' : assumed };
  if (options.isNamespaceFixed === true && ![options.namespace, ''].includes(names.namespace))
    report.add(report.positionOf('metadata.namespace'), 'metadata.namespace', {
      text: `is ${names.namespace}, but ${options.namespace} was asked for`,
      reason: 'NAMESPACE_MISMATCH',
    });
  if (isTemplate && names.namespace !== '' && names.namespace !== SYSTEM_NAMESPACE)
    report.add(report.positionOf('metadata.namespace'), 'metadata.namespace', {
      text: 'an AgentTemplate lives in system',
      reason: 'NAMESPACE_MISMATCH',
    });
  if (isRoot && names.namespace !== '')
    report.add(report.positionOf('metadata.namespace'), 'metadata.namespace', { text: 'of a Namespace is empty' });
  if (kind === undefined) return said;
  const spec = kind.row === undefined ? readRaw(map, report) : readSpec(kind.row, { map, isTemplate }, report);
  return settle(said, { ...kind, metadata, spec, metadataNode: memberNode(map, 'metadata') });
};

/** The members of a document by name; unknown ones are reported. */
const topMembers = (node: MapNode, report: FindingReport): MapNode => {
  const members = node.members.map((member) =>
    member.name === 'api_version' ? { ...member, name: 'apiVersion' } : member,
  );
  const seen = new Set<string>();
  for (const { name, at } of members) {
    if (report.isFull) break;
    if (seen.has(name)) report.add(at, name, { text: 'given twice', reason: 'DUPLICATE_FIELD' });
    seen.add(name);
    report.place(name, at);
    if (name === 'status') report.add(at, 'status', { text: 'is written by the system', reason: 'STATUS_NOT_ALLOWED' });
    else if (!TOP.some((known) => known === name))
      report.add(at, name.slice(0, 80), { text: `unknown field${adviceFor(name, TOP)}`, reason: 'FIELD_UNKNOWN' });
  }
  return { ...node, members };
};

const writtenNames = (map: MapNode): { readonly kind: string; readonly namespace: string; readonly name: string } => {
  const metadata = memberNode(map, 'metadata');
  const text = (from: MapNode, name: string): string => textOf(memberNode(from, name)).toWellFormed();
  const inside = (name: string): string => (metadata?.form === 'map' ? text(metadata, name) : '');
  return { kind: text(map, 'kind'), namespace: inside('namespace'), name: inside('name') };
};

interface ReadKind {
  readonly apiVersion: string;
  readonly row: KindRow | undefined;
  readonly name: string;
}

const readKind = (map: MapNode, report: FindingReport): ReadKind | undefined => {
  const kindNode = memberNode(map, 'kind');
  const versionNode = memberNode(map, 'apiVersion');
  const kind = textOf(kindNode);
  const at = kindNode?.at ?? map.at;
  const versionAt = versionNode?.at ?? at;
  const apiVersion = versionNode === undefined ? API_VERSION : readVersion(versionNode);
  if (apiVersion === undefined)
    report.add(versionAt, 'apiVersion', { text: 'must be svc/v1 or group/version', reason: 'API_VERSION' });
  if (kind === '') return report.add(at, 'kind', { text: kindNode === undefined ? 'is required' : 'must be text' });
  if (apiVersion === undefined) return undefined;
  const row = kind === AGENT_TEMPLATE ? kindRow('Template') : findKind(kind);
  if (apiVersion !== API_VERSION) {
    if (row === undefined) return readCustomKind({ kind, apiVersion, at }, report);
    const fault = { text: `${kind} is a kind of svc/v1`, reason: 'API_VERSION' };
    return report.add(versionAt, 'apiVersion', fault);
  }
  if (row === undefined) {
    const advice = adviceFor(kind, [...kinds.map((entry) => entry.kind), AGENT_TEMPLATE]);
    return report.add(at, 'kind', { text: `unknown kind "${kind.slice(0, 80)}"${advice}`, reason: 'UNKNOWN_KIND' });
  }
  if (!row.authorable)
    return report.add(at, 'kind', { text: `a ${kind} cannot be in a manifest`, reason: 'NOT_AUTHORABLE' });
  return { apiVersion, row, name: row.kind };
};

const readVersion = (node: ManifestNode): string | undefined =>
  node.form === 'scalar' && typeof node.value === 'string' ? canonicalApiVersion(node.value) : undefined;

const readCustomKind = (
  said: { readonly kind: string; readonly apiVersion: string; readonly at: MapNode['at'] },
  report: FindingReport,
): ReadKind | undefined => {
  const { kind, apiVersion, at } = said;
  if (!CUSTOM_KIND.test(kind)) return report.add(at, 'kind', { text: 'must be 1-63 letters and digits' });
  return { apiVersion, row: undefined, name: kind };
};

const readMetadata = (map: MapNode, report: FindingReport, options: ReadOptions): ResourceMeta => {
  const node = memberNode(map, 'metadata');
  if (node === undefined) return create(ResourceMetaSchema);
  if (node.form !== 'map') {
    report.add(node.at, 'metadata', { text: 'must be a map' });
    return create(ResourceMetaSchema);
  }
  const json = new MessageReader(report).message(ResourceMetaSchema, node, 'metadata');
  for (const name of Object.keys(json)) {
    const field = `metadata.${name}`;
    if (name === 'uid' && options.keepsUids === true) {
      if (!isUuidV7(String(json[name]))) report.add(report.positionOf(field), field, { text: UID_FORM });
    } else if (SERVER_OWNED.has(name))
      report.add(report.positionOf(field), field, { text: 'is written by the system', reason: 'SERVER_OWNED' });
  }
  return fromJson(ResourceMetaSchema, json as JsonValue);
};

interface SpecResult {
  readonly spec: Message;
  readonly json: JsonMap;
}

const readSpec = (
  row: KindRow,
  source: { readonly map: MapNode; readonly isTemplate: boolean },
  report: FindingReport,
): SpecResult | undefined => {
  const node = memberNode(source.map, 'spec');
  if (node !== undefined && node.form !== 'map') return report.add(node.at, 'spec', { text: 'must be a map' });
  const members = node?.members ?? [];
  const map: MapNode = { form: 'map', members, at: node?.at ?? source.map.at };
  const json = source.isTemplate
    ? { kind: 'Agent', specJson: canonicalJson(nodeJson(map)) }
    : new MessageReader(report).message(row.spec, map, 'spec');
  const settled = settleSpec(row.kind, json, report);
  return { json: settled, spec: specMessage(row.spec, settled) };
};

const specMessage = (desc: DescMessage, json: JsonMap): Message => fromJson(desc, json as JsonValue);

const readRaw = (map: MapNode, report: FindingReport): SpecResult | undefined => {
  const node = memberNode(map, 'spec');
  if (node === undefined) return { json: {}, spec: create(RawResourceSpecSchema, { json: '{}' }) };
  const json = nodeJson(node);
  if (!isJsonMap(json)) return report.add(node.at, 'spec', { text: 'must be a map' });
  return { json, spec: create(RawResourceSpecSchema, { json: canonicalJson(json) }) };
};

interface Parts extends ReadKind {
  readonly metadata: ResourceMeta;
  readonly spec: SpecResult | undefined;
  readonly metadataNode: ManifestNode | undefined;
}

/** Names that follow from the spec, and the resource if there are no errors. */
const settle = (document: Omit<ManifestDocument, 'resource'>, parts: Parts): ManifestDocument => {
  const { report } = document;
  const { row, metadata, spec, apiVersion } = parts;
  const names = derivedNames(parts);
  // A name of a wrong type has a finding of its own.
  if (names.name === '' && report.findings.every(({ field }) => field !== 'metadata.name'))
    report.add(report.positionOf('metadata'), 'metadata.name', { text: 'is required' });
  const named = { ...document, name: names.name };
  if (spec === undefined || report.findings.length > 0) return named;
  const json = names.channel === '' ? spec.json : { ...spec.json, channel: names.channel };
  const message = row === undefined ? spec.spec : specNormaliser(row.spec)(specMessage(row.spec, json));
  const key = { ...recordKey(parts.name, document.namespace, names.name), parent: names.channel };
  const meta = create(ResourceMetaSchema, { ...metadata, name: names.name, namespace: document.namespace });
  const said = {
    metadata: { labels: metadata.labels, annotations: metadata.annotations },
    spec: row === undefined ? json : asStored(row.spec, { json, message }),
  };
  return { ...named, resource: { key, apiVersion, row, metadata: meta, spec: message, said } };
};

/** Name of Knowledge and of a File from their path; channel and name of a subscription from `channel/name`. */
const derivedNames = (parts: Parts): { readonly name: string; readonly channel: string } => {
  const { row, metadata, spec } = parts;
  const member = (name: string): string => {
    const value = spec?.json[name];
    return typeof value === 'string' ? value : '';
  };
  if (row?.kind === 'Knowledge')
    return { name: metadata.name === '' ? member('path').replace(OUTER_SLASHES, '') : metadata.name, channel: '' };
  if (row?.kind === 'File' && metadata.name === '' && member('path') !== '')
    return { name: fileName(member('path')), channel: '' };
  if (row?.kind !== 'ChannelSubscription') return { name: metadata.name, channel: '' };
  const slash = metadata.name.indexOf('/');
  if (slash < 0) return { name: metadata.name, channel: member('channel') };
  return { name: metadata.name.slice(slash + 1), channel: metadata.name.slice(0, slash) };
};

/** Each value of the document as the store would hold it; null for the default of a field, which is not stored. */
const asStored = (desc: DescMessage, both: { readonly json: JsonMap; readonly message: Message }): JsonData =>
  overlay(both.json, toJson(desc, both.message) as JsonData);

const overlay = (said: JsonData, stored: JsonData | undefined): JsonData => {
  if (!isJsonMap(said)) return stored ?? null;
  const map = isJsonMap(stored) ? stored : {};
  return Object.fromEntries(Object.entries(said).map(([name, value]) => [name, overlay(value, map[name])]));
};
