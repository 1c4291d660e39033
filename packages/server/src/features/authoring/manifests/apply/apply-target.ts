import { create, type Message } from '@bufbuild/protobuf';
import { RawResourceSpecSchema, type ResourceManifest } from '@svc/api/resources';
import { type FieldViolation, violation } from '../../../../base/index.ts';
import {
  API_VERSION,
  canonicalApiVersion,
  canonicalJson,
  findKind,
  type KindRow,
  namespaceKey,
  parseJsonMap,
  recordKey,
} from '../../../../resources/index.ts';
import { unknownKind } from '../resource-address.ts';
import type { ApplyDocument } from './apply-document.ts';

/** Where a manifest is meant to go; what it says itself must agree. */
export interface ApplyAddress {
  readonly ns: string;
  readonly kind: string;
  readonly name: string;
  /** Channel of a ChannelSubscription, agent of a Session; '' = as the spec says. */
  readonly parent: string;
}

export type TargetResult = { readonly target: ApplyDocument } | { readonly faults: readonly FieldViolation[] };

/** Checks everything that needs no store: version, kind, agreement with the address, member of the spec. */
export const applyTarget = (address: ApplyAddress, manifest: ResourceManifest | undefined): TargetResult => {
  const kind = checkKind(address.kind, manifest?.apiVersion ?? '');
  if ('faults' in kind) return kind;
  const { row, apiVersion } = kind;
  const spec = readSpec(row, manifest);
  const parent = parentOf(row, address, spec.value);
  const faults = [...checkAgreement(address, manifest, row), ...spec.faults, ...parent.faults];
  if (faults.length > 0) return { faults };
  const key = row?.scope === 'root' ? namespaceKey(address.name) : recordKey(address.kind, address.ns, address.name);
  const at = { ...key, parent: parent.name };
  return { target: { key: at, apiVersion, row, spec: spec.value, metadata: manifest?.metadata } };
};

type KindResult =
  | { readonly row: KindRow | undefined; readonly apiVersion: string }
  | { readonly faults: readonly FieldViolation[] };

const CUSTOM_KIND = /^[A-Za-z][A-Za-z0-9]{0,62}$/;

const checkKind = (kind: string, text: string): KindResult => {
  const apiVersion = canonicalApiVersion(text);
  if (apiVersion === undefined)
    return { faults: [violation('apiVersion', 'must be svc/v1 or group/version', 'API_VERSION')] };
  const row = findKind(kind);
  if (apiVersion !== API_VERSION) {
    if (row !== undefined) return { faults: [violation('apiVersion', `${kind} is a kind of svc/v1`, 'API_VERSION')] };
    if (!CUSTOM_KIND.test(kind)) return { faults: [violation('kind', 'must be 1-63 letters and digits')] };
    return { row: undefined, apiVersion };
  }
  if (row === undefined) return { faults: unknownKind(kind).violations };
  if (row.writers.resourceService === 'none')
    return { faults: [violation('kind', `${kind} is written by the system only`, 'KIND_READ_ONLY')] };
  return { row, apiVersion };
};

/** What the manifest repeats of the address must be the same. */
const checkAgreement = (
  address: ApplyAddress,
  manifest: ResourceManifest | undefined,
  row: KindRow | undefined,
): readonly FieldViolation[] => {
  const { kind = '', metadata } = manifest ?? {};
  const namespace = row?.scope === 'root' ? '' : address.ns;
  const pairs = [
    ['kind', kind, address.kind],
    ['metadata.name', metadata?.name ?? '', address.name],
    ['metadata.namespace', metadata?.namespace ?? '', namespace],
  ] as const;
  const differing = pairs
    .filter(([, said, meant]) => said !== '' && said !== meant)
    .map(([field, , meant]) =>
      violation(field, `is ${meant === '' ? 'empty' : meant} by the path`, 'PATH_BODY_MISMATCH'),
    );
  const isMisplaced = row?.scope === 'root' && address.ns !== address.name;
  return isMisplaced ? [...differing, violation('ns', 'of a Namespace is its name', 'PATH_BODY_MISMATCH')] : differing;
};

interface SpecResult {
  readonly value: Message | undefined;
  readonly faults: readonly FieldViolation[];
}

/** The spec by its member, which must fit the kind. */
const readSpec = (row: KindRow | undefined, manifest: ResourceManifest | undefined): SpecResult => {
  const said = manifest?.spec?.kind;
  if (said?.case === undefined)
    return { value: row === undefined ? create(RawResourceSpecSchema, { json: '{}' }) : undefined, faults: [] };
  const member = row?.member ?? 'raw';
  if (said.case !== member)
    return { value: undefined, faults: [violation('spec', `must be ${member}, not ${said.case}`, 'SPEC_KIND')] };
  if (said.case !== 'raw') return { value: said.value, faults: [] };
  const map = parseJsonMap(said.value.json);
  if (map === undefined) return { value: undefined, faults: [violation('spec', 'must be a JSON object')] };
  return { value: create(RawResourceSpecSchema, { json: canonicalJson(map) }), faults: [] };
};

const parentOf = (
  row: KindRow | undefined,
  address: ApplyAddress,
  spec: Message | undefined,
): { readonly name: string; readonly faults: readonly FieldViolation[] } => {
  if (row?.parent === undefined) return { name: '', faults: [] };
  const member = row.parent === 'channel' ? 'channel' : 'agent';
  const said = (spec as Readonly<Record<string, unknown>> | undefined)?.[member];
  const inSpec = typeof said === 'string' ? said : '';
  if (address.parent !== '' && inSpec !== '' && inSpec !== address.parent)
    return {
      name: '',
      faults: [violation(`spec.${member}`, `is ${address.parent} by the path`, 'PATH_BODY_MISMATCH')],
    };
  const name = address.parent === '' ? inSpec : address.parent;
  const isMissing = name === '' && row.parent === 'channel';
  return { name, faults: isMissing ? [violation('spec.channel', 'the channel is required')] : [] };
};
