import { create, type Message, toJsonString } from '@bufbuild/protobuf';
import { NamespaceSpecSchema, type OwnerReference, type ResourceMeta, SessionSpecSchema } from '@svc/api/resources';
import type { CallContext } from '../../../../auth/contract.ts';
import { Fault, invalidField } from '../../../../base/index.ts';
import type { DesiredResource, WriteResult } from '../../../../controllers/contract.ts';
import {
  API_VERSION,
  type KindRow,
  messageFromText,
  namespaceKey,
  ownerRecord,
  pathParent,
  resourceNotFound,
} from '../../../../resources/index.ts';
import type { ResourceKey, StoredOwner, StoredResource, WriteTx } from '../../../../store/contracts/index.ts';
import type { ManifestsDeps } from '../manifests-deps.ts';
import { addressOf } from '../resource-address.ts';
import { createMissing } from './missing-namespaces.ts';

/** One resource to apply, its form checked already. */
export interface ApplyDocument {
  readonly key: ResourceKey;
  readonly apiVersion: string;
  /** Undefined for custom kinds. */
  readonly row: KindRow | undefined;
  /** Undefined when nothing is said of it. */
  readonly spec: Message | undefined;
  readonly metadata: ResourceMeta | undefined;
}

interface ApplyRules {
  readonly context: CallContext;
  readonly createsNamespaces: boolean;
  /** Where the request has the namespace, for faults of its name. */
  readonly namespaceField: 'ns' | 'metadata.namespace';
}

/** What a document meets: its spec as it shall be, what is stored, and the owners and finalizers to write. */
interface Prepared<D extends ApplyDocument> {
  readonly document: D & { readonly spec: Message };
  readonly before: StoredResource | undefined;
  readonly holders: Holders;
}

type Holders = Pick<DesiredResource, 'owners' | 'finalizers'>;

/** Writes a document through the write pipeline, as a whole or field by field. */
export type ApplyWrite<D extends ApplyDocument> = (prepared: Prepared<D>) => Promise<WriteResult & Partial<Repair>>;

interface Repair {
  /** All that changed was set back to what the manager had applied before. */
  readonly isRepair: boolean;
}

export interface Applied extends WriteResult, Repair {
  readonly before: StoredResource | undefined;
}

/** Applies one document, whichever request it came with: what is missing above it, what it meets, then the write of the request. */
export const applyDocument = async <D extends ApplyDocument>(
  deps: ManifestsDeps,
  tx: WriteTx,
  apply: { readonly document: D; readonly rules: ApplyRules; readonly write: ApplyWrite<D> },
): Promise<Applied> => {
  const { rules, write } = apply;
  const document = { ...apply.document, spec: await specOf(tx, apply.document) };
  if (rules.createsNamespaces) await createAbove(deps, tx, { document, rules });
  if (document.row?.writers.resourceService === 'labels') return writeLabels(deps, tx, { ...apply, ...rules });
  const before = await tx.resources.get(document.key);
  if (before !== undefined && before.apiVersion !== document.apiVersion)
    // One name is one resource, whatever version a manifest writes.
    throw invalidField('apiVersion', `is stored as ${before.apiVersion}`, 'API_VERSION');
  const written = await write({ document, before, holders: holdersOf(document, before) });
  return { isRepair: false, ...written, before };
};

/** The write of a request that says all of a resource: creates or replaces it. */
export const replaceWhole =
  (deps: ManifestsDeps, tx: WriteTx, context: CallContext): ApplyWrite<ApplyDocument> =>
  ({ document: { key, apiVersion, spec, metadata }, holders }) => {
    const { labels = {}, annotations = {}, resourceVersion = '' } = metadata ?? {};
    const input = { key, apiVersion, spec, labels, annotations, resourceVersion, ...holders };
    return deps.writer.put(tx, context, input);
  };

/** The spec as it shall be: an absent one is empty; the parent of a namespace follows from what is known. */
const specOf = async (tx: WriteTx, { row, key, spec }: ApplyDocument): Promise<Message> => {
  if (row?.scope !== 'root') return spec ?? create(row?.spec ?? NamespaceSpecSchema);
  const said = (spec as { readonly parent?: string } | undefined)?.parent ?? '';
  return said !== '' && spec !== undefined
    ? spec
    : create(NamespaceSpecSchema, { parent: await parentKnown(tx, key.name) });
};

/** Parent of a namespace that a manifest leaves out: the stored one, else the one by its name. */
const parentKnown = async (tx: WriteTx, name: string): Promise<string> => {
  const record = await tx.resources.get(namespaceKey(name));
  if (record === undefined) return pathParent(name);
  return (messageFromText(NamespaceSpecSchema, record.spec) as Message & { readonly parent: string }).parent;
};

/** The namespace of the resource, or the parent of a namespace. */
const createAbove = (
  deps: ManifestsDeps,
  tx: WriteTx,
  apply: { readonly document: ApplyDocument; readonly rules: ApplyRules },
): Promise<void> => {
  const { document, rules } = apply;
  const { parent = '' } = document.spec as Message & { readonly parent?: string };
  const wanted =
    document.row?.scope === 'root'
      ? { name: parent, field: 'spec.parent' }
      : { name: document.key.namespace, field: rules.namespaceField };
  return createMissing(deps, tx, { ...wanted, context: rules.context });
};

/** Owners and finalizers: replaced by a manifest with a version, otherwise only added to. */
const holdersOf = ({ metadata, key }: ApplyDocument, before: StoredResource | undefined): Holders => {
  const owners = (metadata?.ownerReferences ?? []).map((owner) => fillOwner(owner, key));
  const finalizers = [...new Set(metadata?.finalizers ?? [])];
  if ((metadata?.resourceVersion ?? '') !== '') return { owners, finalizers: withSystemFinalizers(finalizers, before) };
  const present = before?.owners ?? [];
  const added = owners.filter((owner) => !present.some((known) => known.uid === owner.uid));
  const held = before?.finalizers ?? [];
  return {
    ...(added.length === 0 ? {} : { owners: [...present, ...added] }),
    ...(finalizers.length === 0 ? {} : { finalizers: [...new Set([...held, ...finalizers])] }),
  };
};

/** Finalizers of the system stay when they are left out, as its labels do. */
const withSystemFinalizers = (said: readonly string[], before: StoredResource | undefined): readonly string[] => [
  ...said,
  ...(before?.finalizers ?? []).filter((name) => name.startsWith('svc/') && !said.includes(name)),
];

const fillOwner = (owner: OwnerReference, key: ResourceKey): StoredOwner => {
  const record = ownerRecord(owner);
  return {
    ...record,
    apiVersion: record.apiVersion === '' ? API_VERSION : record.apiVersion,
    namespace: record.namespace === '' ? key.namespace : record.namespace,
  };
};

/** Sessions: labels and annotations may be replaced, nothing else. */
const writeLabels = async (
  deps: ManifestsDeps,
  tx: WriteTx,
  write: { readonly document: ApplyDocument; readonly context: CallContext },
): Promise<Applied> => {
  const { document, context } = write;
  const { namespace: ns, parent, kind, name } = document.key;
  const key = await addressOf(tx, { ns, kind, name, parent });
  const before = await tx.resources.get(key);
  if (before === undefined) throw resourceNotFound(key);
  const stored = toJsonString(SessionSpecSchema, messageFromText(SessionSpecSchema, before.spec) as never);
  if (document.spec !== undefined && toJsonString(SessionSpecSchema, document.spec as never) !== stored)
    throw new Fault('INVALID_ARGUMENT', 'KIND_READ_ONLY', `the spec of a ${kind} is written by the system only`, {
      violations: [{ field: 'spec', description: 'is written by the system only', reason: 'KIND_READ_ONLY' }],
    });
  const { labels = {}, annotations = {}, resourceVersion = '' } = document.metadata ?? {};
  const change = () => ({ labels, annotations });
  return { ...(await deps.writer.modify(tx, context, { key, resourceVersion, change })), before, isRepair: false };
};
