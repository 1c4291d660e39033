import { type DescField, type DescMessage, fromJson, type JsonValue, ScalarType } from '@bufbuild/protobuf';
import { camelCase, type OtherForm, otherForms } from '@svc/api/manifest-forms';
import { JSON_DEPTH, nestsDeeperThan, parseDurationMs } from '../../base/index.ts';
import { canonicalJsonText, isJsonTextField, type JsonData, type JsonMap } from '../canonical-json.ts';
import type { FindingReport } from './manifest-finding.ts';
import {
  isNullNode,
  type ListNode,
  type ManifestNode,
  type MapMember,
  type MapNode,
  nodeJson,
  nodeJsonText,
  textOf,
} from './manifest-node.ts';
import { adviceFor } from './nearest-name.ts';
import { readEnum, scalarReaders } from './scalar-nodes.ts';

const RESOURCE_REF = 'svc.resources.ResourceRef';

/** Reads nodes as JSON of messages: strict, canonical names, short forms resolved; reports every error with its position. */
export class MessageReader {
  readonly #report: FindingReport;

  constructor(report: FindingReport) {
    this.#report = report;
  }

  /** The JSON of a message; members with errors are left out and reported. */
  message(desc: DescMessage, map: MapNode, path: string): JsonMap {
    const json: Record<string, JsonData> = {};
    const seen = new Set<string>();
    for (const member of unfolded(desc, map)) {
      if (this.#report.isFull) break;
      const found = findField(desc, member.name);
      if (found === undefined) this.#unknown(desc, member, path);
      else if (seen.has(found.field.name)) this.#twice(found.field, member, path);
      else {
        seen.add(found.field.name);
        const at = `${path}.${found.field.jsonName}`;
        this.#report.place(at, member.at);
        const value = isNullNode(member.node) ? undefined : this.#field(found, member.node, at);
        if (value !== undefined) json[found.field.jsonName] = value;
      }
    }
    return json;
  }

  #unknown(desc: DescMessage, member: MapMember, path: string): void {
    const names = desc.fields.map((field) => field.jsonName);
    const field = `${path}.${member.name.slice(0, 80)}`;
    this.#report.add(member.at, field, {
      text: `unknown field${adviceFor(member.name, names)}`,
      reason: 'FIELD_UNKNOWN',
    });
  }

  #twice(field: DescField, member: MapMember, path: string): void {
    const at = `${path}.${field.jsonName}`;
    this.#report.add(member.at, at, { text: `given twice, as ${member.name} too`, reason: 'DUPLICATE_FIELD' });
  }

  #field(found: FoundField, node: ManifestNode, at: string): JsonData | undefined {
    const { field, other } = found;
    if (other?.form === 'json') return nodeJsonText(node);
    if (other?.form === 'seconds') return this.#seconds(field, node, at);
    if (other?.inside !== undefined) return this.#inside(field, { node, name: other.inside }, at);
    if (field.fieldKind === 'list') return this.#list(field, node, at);
    if (field.fieldKind === 'map') return this.#map(field, node, at);
    if (isJsonTextField(field)) return this.#jsonText(field, node, at);
    return this.#single(field, node, at);
  }

  #single(field: DescField, node: ManifestNode, at: string): JsonData | undefined {
    if (field.message !== undefined) return this.#message(field.message, node, at);
    if (node.form !== 'scalar') return this.#wrong(node, at, 'must be a single value');
    const type = field.scalar ?? ScalarType.STRING;
    const result = field.enum === undefined ? scalarReaders[type](node.value) : readEnum(field.enum, node.value);
    return 'fault' in result ? this.#wrong(node, at, result.fault) : result.json;
  }

  #message(desc: DescMessage, node: ManifestNode, at: string): JsonData | undefined {
    if (desc.typeName.startsWith('google.protobuf.')) return this.#wellKnown(desc, node, at);
    if (desc.typeName === RESOURCE_REF && node.form === 'scalar') return this.#reference(node, at);
    return node.form === 'map' ? this.message(desc, node, at) : this.#wrong(node, at, 'must be a map');
  }

  #list(field: DescField, node: ManifestNode, at: string): JsonData | undefined {
    if (node.form !== 'list') return this.#wrong(node, at, 'must be a list');
    return this.#items(field, node, at);
  }

  #items(field: DescField, node: ListNode, at: string): JsonData {
    return node.items.flatMap((item, index) => {
      const place = `${at}[${index}]`;
      this.#report.place(place, item.at);
      return this.#single(field, item, place) ?? [];
    });
  }

  #map(field: DescField, node: ManifestNode, at: string): JsonData | undefined {
    if (node.form !== 'map') return this.#wrong(node, at, 'must be a map');
    const entries = node.members.flatMap((member) => {
      const place = `${at}[${member.name}]`;
      this.#report.place(place, member.at);
      if (member.name === '__proto__') this.#wrong(member.node, place, 'is not a name');
      if (!member.name.isWellFormed()) return this.#wrong(member.node, place, 'has half a character in its name') ?? [];
      const value = this.#single(field, member.node, place);
      return value === undefined ? [] : [[member.name, value] as const];
    });
    return Object.fromEntries(entries);
  }

  /** Text of a `*_json` field in canonical form; text that is not JSON is left to the rules of the kind. */
  #jsonText(field: DescField, node: ManifestNode, at: string): JsonData | undefined {
    if (node.form !== 'scalar') return nodeJsonText(node);
    const text = this.#single(field, node, at);
    if (typeof text !== 'string') return undefined;
    if (nestsDeeperThan(text, JSON_DEPTH)) return this.#wrong(node, at, `nests deeper than ${JSON_DEPTH}`);
    return canonicalJsonText(text);
  }

  /** A duration in whole seconds; a bare number is seconds, in quotes or not. */
  #seconds(field: DescField, node: ManifestNode, at: string): JsonData | undefined {
    const text = textOf(node);
    if (text === '' || /^\d+$/.test(text)) return this.#single(field, node, at);
    const ms = parseDurationMs(text);
    if (ms === undefined || ms % 1_000 !== 0)
      return this.#wrong(node, at, 'must be whole seconds, such as 30s, 5m or 2h');
    return this.#single(field, { form: 'scalar', value: ms / 1_000, at: node.at }, at);
  }

  #inside(field: DescField, wrapped: { node: ManifestNode; name: string }, at: string): JsonData | undefined {
    const { node, name } = wrapped;
    const outer: MapNode = { form: 'map', members: [{ name, node, at: node.at }], at: node.at };
    return this.#single(field, outer, at);
  }

  /** `ns/name` or `name` for a reference. */
  #reference(node: ManifestNode, at: string): JsonData | undefined {
    const text = nodeJson(node);
    if (typeof text !== 'string') return this.#wrong(node, at, 'must be {name, namespace} or "namespace/name"');
    if (!text.isWellFormed()) return this.#wrong(node, at, 'holds half a character');
    const slash = text.indexOf('/');
    return slash < 0 ? { name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
  }

  #wellKnown(desc: DescMessage, node: ManifestNode, at: string): JsonData | undefined {
    const json = nodeJson(node);
    try {
      fromJson(desc, json as JsonValue);
      return json;
    } catch {
      return this.#wrong(node, at, `must be a ${desc.name.replace(/Value$/, '').toLowerCase()}`);
    }
  }

  #wrong(node: ManifestNode, at: string, text: string): undefined {
    return this.#report.add(node.at, at, { text });
  }
}

interface FoundField {
  readonly field: DescField;
  readonly other?: OtherForm;
}

const findField = (desc: DescMessage, name: string): FoundField | undefined => {
  const other = otherForms[desc.typeName]?.[camelCase(name)];
  const wanted = other === undefined || other.field === '' ? name : other.field;
  const field = desc.fields.find((candidate) => candidate.name === wanted || candidate.jsonName === wanted);
  if (field === undefined) return undefined;
  return other === undefined ? { field } : { field, other };
};

/** Members with those of `merge` forms in their place. */
const unfolded = (desc: DescMessage, map: MapNode): readonly MapMember[] => {
  const others = otherForms[desc.typeName];
  if (others === undefined) return map.members;
  return map.members.flatMap((member) => {
    const other = others[camelCase(member.name)];
    if (other?.form !== 'merge' || member.node.form !== 'map') return [member];
    const { only } = other;
    const inner = member.node.members;
    return inner.every((item) => only === undefined || only.includes(item.name)) ? inner : [member];
  });
};
