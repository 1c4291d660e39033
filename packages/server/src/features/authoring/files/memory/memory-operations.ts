import { create } from '@bufbuild/protobuf';
import {
  FileService,
  type ForgetMemoryRequest,
  ForgetMemoryResponseSchema,
  type ListMemoryRequest,
  ListMemoryResponseSchema,
} from '@svc/api/gateway';
import { FilePurpose, FileSchema } from '@svc/api/resources';
import type { CallContext } from '../../../../auth/contract.ts';
import { invalidField } from '../../../../base/index.ts';
import type { AppendAudit, ResourceWriter } from '../../../../controllers/contract.ts';
import { type Operation, operation, operator, viewer } from '../../../../operations/index.ts';
import type { ResourceViews } from '../../../../resources/index.ts';
import type { ResourceKey, Store, WriteTx } from '../../../../store/contracts/index.ts';
import { fileSpec } from '../file-facts.ts';
import type { FileReads } from '../file-reads.ts';
import { identityFolder, ownerOf } from '../file-rules.ts';

interface MemoryOperationsDeps {
  readonly store: Pick<Store, 'write'>;
  readonly writer: Pick<ResourceWriter, 'remove'>;
  readonly reads: Pick<FileReads, 'list'>;
  readonly views: ResourceViews;
  readonly audit: AppendAudit;
}

/** Files that one transaction removes. */
const BATCH = 50;
const IDENTITY_MAX = 256;

/** ListMemory and ForgetMemory. */
export const memoryOperations = (deps: MemoryOperationsDeps): readonly Operation[] => {
  const { method } = FileService;
  return [
    operation(method.listMemory, { access: viewer('fields'), handle: (request) => listMemory(deps, request) }),
    operation(method.forgetMemory, {
      access: operator('fields'),
      handle: (request, call) => forgetMemory(deps, request, call),
    }),
  ];
};

const listMemory = async ({ reads, views }: MemoryOperationsDeps, request: ListMemoryRequest) => {
  const { ns: namespace, identity, pageSize, pageToken } = request;
  const page = await reads.list({
    namespace,
    pageSize,
    pageToken,
    labelSelector: '',
    metadataOnly: false,
    purpose: FilePurpose.MEMORY,
    pathPrefix: identity === '' ? '' : identityFolder(identity),
  });
  const shown = page.records.filter((record) => identity !== '' || ownerOf(fileSpec(record).path) === undefined);
  // Nothing of a file is a secret.
  const files = shown.map((record) => views.full(FileSchema, record, { secrets: true }));
  return create(ListMemoryResponseSchema, { files, nextPageToken: page.nextPageToken });
};

/** Killed half way it is called again: each batch is a transaction, and what is gone stays gone. */
const forgetMemory = async (deps: MemoryOperationsDeps, request: ForgetMemoryRequest, call: CallContext) => {
  const { ns: namespace, identity } = request;
  if (identity === '') throw invalidField('identity', 'is required');
  if (identity.length > IDENTITY_MAX) throw invalidField('identity', `longer than ${IDENTITY_MAX} characters`);
  const owned = await filesOf(deps, namespace, identity);
  let removed = 0;
  for (let at = 0; at < owned.length; at += BATCH)
    removed += await deps.store.write((tx) => removeFiles(deps, tx, { call, keys: owned.slice(at, at + BATCH) }));
  await deps.store.write((tx) =>
    deps.audit(tx, call, {
      target: `Memory/${namespace}/${ownerOf(identityFolder(identity)) ?? ''}`,
      namespace,
      resourceVersion: '',
      outcome: 'deleted',
    }),
  );
  return create(ForgetMemoryResponseSchema, { removed });
};

/** Everything below the folder of the identity, whatever its purpose. Throws NAMESPACE_NOT_FOUND. */
const filesOf = async (
  { reads }: MemoryOperationsDeps,
  namespace: string,
  identity: string,
): Promise<readonly ResourceKey[]> => {
  const keys: ResourceKey[] = [];
  for (let pageToken = ''; ; ) {
    const page = await reads.list({
      namespace,
      pageSize: 0,
      pageToken,
      labelSelector: '',
      metadataOnly: false,
      pathPrefix: identityFolder(identity),
      purpose: FilePurpose.UNSPECIFIED,
    });
    keys.push(...page.records.map(({ key }) => key));
    pageToken = page.nextPageToken;
    if (pageToken === '') return keys;
  }
};

const removeFiles = async (
  { writer }: MemoryOperationsDeps,
  tx: WriteTx,
  given: { readonly call: CallContext; readonly keys: readonly ResourceKey[] },
): Promise<number> => {
  let removed = 0;
  for (const key of given.keys) {
    // Another call may have been faster.
    if ((await tx.resources.get(key)) === undefined) continue;
    await writer.remove(tx, given.call, { key });
    removed += 1;
  }
  return removed;
};
