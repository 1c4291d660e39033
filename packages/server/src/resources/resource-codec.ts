import { create, type DescMessage, type Message, toJson } from '@bufbuild/protobuf';
import {
  type OwnerReference,
  OwnerReferenceSchema,
  type Resource,
  type ResourceMeta,
  ResourceMetaSchema,
  ResourceSchema,
  ResourceSpecSchema,
  ResourceStatusSchema,
} from '@svc/api/resources';
import { canonicalJson, type JsonData, type JsonMap, parseJsonMap } from './canonical-json.ts';
import { findKind, type KindRow } from './kinds.ts';
import { withoutPrivate } from './labels.ts';
import type { RecordOwner, ResourceRecord } from './record.ts';
import { storedMessage } from './stored-message.ts';

/** Canonical JSON text of a message, as specs and statuses are stored. */
export const messageText = (schema: DescMessage, message: Message): string =>
  canonicalJson(toJson(schema, message) as JsonData);

/** Reads stored text; fields of a newer release are skipped. */
export const messageFromText = (schema: DescMessage, text: string): Message =>
  storedMessage(schema, JSON.parse(text) as JsonMap);

/** Reads a JSON object as a message; unknown fields are skipped. */
export const messageFromMap = (schema: DescMessage, map: JsonMap): Message => storedMessage(schema, map);

/** The reference as the API shows it. */
export const ownerMessage = (owner: RecordOwner): OwnerReference => create(OwnerReferenceSchema, { ...owner });

/** A reference without what else its message carries. */
export const ownerRecord = (owner: RecordOwner): RecordOwner => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  namespace: owner.namespace,
  name: owner.name,
  uid: owner.uid,
  controller: owner.controller,
  blockOwnerDeletion: owner.blockOwnerDeletion,
});

/** Metadata of a record as callers see it: no private keys. */
export const metadataOf = (record: ResourceRecord): ResourceMeta =>
  create(ResourceMetaSchema, {
    name: record.key.name,
    namespace: record.key.namespace,
    labels: withoutPrivate(record.labels),
    annotations: withoutPrivate(record.annotations),
    ownerReferences: record.owners.map(ownerMessage),
    finalizers: [...record.finalizers],
    generation: BigInt(record.generation),
    resourceVersion: String(record.version),
    uid: record.uid,
    ...(record.deletionTimestamp === undefined ? {} : { deletionTimestamp: BigInt(record.deletionTimestamp) }),
  });

/** A resource without its spec and status (`metadata_only`). */
export const metadataOnly = (row: KindRow, record: ResourceRecord): Message =>
  create(row.full, { metadata: metadataOf(record) } as never);

/** Generic form without spec and status. */
export const genericMetadataOnly = (record: ResourceRecord): Resource =>
  create(ResourceSchema, { apiVersion: record.apiVersion, kind: record.key.kind, metadata: metadataOf(record) });

/** The parts every full resource has. */
export interface ResourceParts {
  readonly metadata: ResourceMeta;
  readonly spec: Message;
  readonly status: Message;
}

/** The generic form of a full resource: the same parts under the members of its kind. */
export const genericResource = (row: KindRow, apiVersion: string, parts: ResourceParts): Resource =>
  create(ResourceSchema, {
    apiVersion,
    kind: row.kind,
    metadata: parts.metadata,
    spec: create(ResourceSpecSchema, { kind: { case: row.member, value: parts.spec } } as never),
    status: create(ResourceStatusSchema, { kind: { case: row.member, value: parts.status } } as never),
  });

/** Generic form of a custom kind, whose spec and status are raw JSON. */
export const rawResource = (record: ResourceRecord): Resource =>
  create(ResourceSchema, {
    apiVersion: record.apiVersion,
    kind: record.key.kind,
    metadata: metadataOf(record),
    spec: create(ResourceSpecSchema, { kind: { case: 'raw', value: { json: record.spec } } }),
    status: create(ResourceStatusSchema, { kind: { case: 'raw', value: { json: record.status } } }),
  });

/** The built-in row of a record; custom kinds have none, whatever their name. */
export const rowOf = (record: Pick<ResourceRecord, 'key' | 'apiVersion'>): KindRow | undefined =>
  record.apiVersion === 'svc/v1' ? findKind(record.key.kind) : undefined;

/** Stored status merged with the facts kept next to it, as a JSON object. */
export const statusWithActivity = (status: string, activity: string): JsonMap => {
  const base = parseJsonMap(status) ?? {};
  return activity === '' ? base : { ...base, ...parseJsonMap(activity) };
};
