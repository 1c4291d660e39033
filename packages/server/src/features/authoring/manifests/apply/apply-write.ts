import { create, type Message, toJsonString } from '@bufbuild/protobuf';
import { NamespaceSpecSchema, type OwnerReference, SessionSpecSchema } from '@svc/api/resources';
import type { CallContext } from '../../../../auth/contract.ts';
import { Fault, invalidField } from '../../../../base/index.ts';
import type { WriteInput, WriteResult } from '../../../../controllers/contract.ts';
import {
  API_VERSION,
  messageFromText,
  namespaceKey,
  ownerRecord,
  pathParent,
  resourceNotFound,
} from '../../../../resources/index.ts';
import type { ResourceKey, StoredOwner, StoredResource, WriteTx } from '../../../../store/contracts/index.ts';
import type { ManifestsDeps } from '../manifests-deps.ts';
import { addressOf } from '../resource-address.ts';
import type { ApplyTarget } from './apply-target.ts';
import { createMissing } from './missing-namespaces.ts';

export interface ApplyWrite {
  readonly target: ApplyTarget;
  readonly context: CallContext;
  readonly createNamespace: boolean;
}

export interface ApplyWritten extends WriteResult {
  readonly before: StoredResource | undefined;
}

/** Creates or replaces one resource through the write pipeline, as ApplyResource does. */
export const writeTarget = async (deps: ManifestsDeps, tx: WriteTx, write: ApplyWrite): Promise<ApplyWritten> => {
  const { target, context, createNamespace } = write;
  const { row, key: named } = target;
  const spec = await specOf(tx, target);
  if (createNamespace) {
    const { parent = '' } = spec as Message & { readonly parent?: string };
    const wanted =
      row?.scope === 'root' ? { name: parent, field: 'spec.parent' } : { name: named.namespace, field: 'ns' };
    await createMissing(deps, tx, { ...wanted, context });
  }
  if (row?.writers.resourceService === 'labels') return writeLabels(deps, tx, write);
  const before = await tx.resources.get(named);
  checkVersionOf(before, target);
  const input: WriteInput = {
    key: named,
    apiVersion: target.apiVersion,
    spec,
    labels: target.metadata?.labels ?? {},
    annotations: target.metadata?.annotations ?? {},
    resourceVersion: target.metadata?.resourceVersion ?? '',
    ...holders(target, before),
  };
  return { ...(await deps.writer.put(tx, context, input)), before };
};

/** One name is one resource, whatever version a manifest writes. */
export const checkVersionOf = (before: StoredResource | undefined, target: ApplyTarget): void => {
  if (before !== undefined && before.apiVersion !== target.apiVersion)
    throw invalidField('apiVersion', `is stored as ${before.apiVersion}`, 'API_VERSION');
};

/** The spec as it shall be: an absent one is empty; the parent of a namespace follows from what is known. */
const specOf = async (tx: WriteTx, target: ApplyTarget): Promise<Message> => {
  const { row, key, spec } = target;
  if (row?.scope !== 'root') return spec ?? create(row?.spec ?? NamespaceSpecSchema);
  const said = (spec as { readonly parent?: string } | undefined)?.parent ?? '';
  return create(NamespaceSpecSchema, { parent: said === '' ? await parentKnown(tx, key.name) : said });
};

/** Parent of a namespace that a manifest leaves out: the stored one, else the one by its name. */
export const parentKnown = async (tx: WriteTx, name: string): Promise<string> => {
  const record = await tx.resources.get(namespaceKey(name));
  if (record === undefined) return pathParent(name);
  return (messageFromText(NamespaceSpecSchema, record.spec) as Message & { readonly parent: string }).parent;
};

/** Owners and finalizers: replaced by a manifest with a version, otherwise only added to. */
export const holders = (
  target: ApplyTarget,
  before: StoredResource | undefined,
): Pick<WriteInput, 'owners' | 'finalizers'> => {
  const { metadata, key } = target;
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
const writeLabels = async (deps: ManifestsDeps, tx: WriteTx, write: ApplyWrite): Promise<ApplyWritten> => {
  const { target, context } = write;
  const { namespace: ns, parent, kind, name } = target.key;
  const key = await addressOf(tx, { ns, kind, name, parent });
  const before = await tx.resources.get(key);
  if (before === undefined) throw resourceNotFound(key);
  const stored = toJsonString(SessionSpecSchema, messageFromText(SessionSpecSchema, before.spec) as never);
  if (target.spec !== undefined && toJsonString(SessionSpecSchema, target.spec as never) !== stored)
    throw new Fault('INVALID_ARGUMENT', 'KIND_READ_ONLY', `the spec of a ${kind} is written by the system only`, {
      violations: [{ field: 'spec', description: 'is written by the system only', reason: 'KIND_READ_ONLY' }],
    });
  const { labels = {}, annotations = {}, resourceVersion = '' } = target.metadata ?? {};
  const change = () => ({ labels, annotations });
  return { ...(await deps.writer.modify(tx, context, { key, resourceVersion, change })), before };
};
