import type { Resource } from '@svc/api/resources';
import type { AccessTarget, Authorizer, CallContext, Caller } from '../../../auth/contract.ts';
import type { WriteOrigin } from '../../../controllers/contract.ts';
import { parseJsonMap, rowOf } from '../../../resources/index.ts';
import type { ReadTx, ResourceKey, StoredResource } from '../../../store/contracts/index.ts';
import type { ManifestsDeps } from './manifests-deps.ts';

/** What reading secret values of a record needs a grant on. */
export const secretTarget = (record: Pick<StoredResource, 'key'>): AccessTarget =>
  record.key.kind === 'Namespace'
    ? { namespace: record.key.name }
    : { namespace: record.key.namespace, ...(record.key.kind === 'Agent' ? { agent: record.key.name } : {}) };

/** Whether the origin of a write may see the secret values of a resource; without grants it is the program itself that writes. */
export const valueReader =
  (authorizer: Pick<Authorizer, 'readsSecrets'>) =>
  ({ caller }: WriteOrigin, key: ResourceKey): boolean =>
    caller.grants === undefined || authorizer.readsSecrets(caller as Caller, secretTarget({ key }));

/** Values of Secrets, also of those that templates hold, never appear in lists and events, for any reader. */
export const isSecret = (record: StoredResource): boolean => {
  const kind = rowOf(record)?.kind;
  return kind === 'Secret' || (kind === 'Template' && parseJsonMap(record.spec)?.['kind'] === 'Secret');
};

/** Generic forms of records for a caller, with the facts that are kept next to them. */
export const showResources = async (
  deps: ManifestsDeps,
  tx: ReadTx,
  shown: {
    readonly records: readonly StoredResource[];
    readonly context: CallContext;
    readonly metadataOnly?: boolean;
    /** Records of a rehearsal: their versions will mean something else. */
    readonly isTransient?: boolean;
    /** Many at once: values of Secrets are read one by one, each read audited. */
    readonly isList?: boolean;
  },
): Promise<Resource[]> => {
  const { records, context, metadataOnly = false, isTransient = false, isList = false } = shown;
  const activity = metadataOnly ? new Map<string, string>() : await readActivity(deps, tx, records);
  return records.map((record) =>
    deps.views.generic(record, {
      secrets: !(isList && isSecret(record)) && deps.authorizer.readsSecrets(context.caller, secretTarget(record)),
      activity: activity.get(record.uid) ?? '',
      metadataOnly,
      isTransient,
      isPassing: isList,
    }),
  );
};

const readActivity = async (
  deps: ManifestsDeps,
  tx: ReadTx,
  records: readonly StoredResource[],
): Promise<ReadonlyMap<string, string>> => {
  const active = records.filter((record) => rowOf(record)?.hasActivity === true);
  const found = new Map<string, string>();
  const plain = active.filter((record) => deps.activity?.[record.key.kind] === undefined);
  for (const [uid, text] of await tx.resources.activity(plain.map((record) => record.uid))) found.set(uid, text);
  for (const [kind, read] of Object.entries(deps.activity ?? {})) {
    const own = active.filter((record) => record.key.kind === kind);
    if (own.length > 0) for (const [uid, text] of await read(tx, own)) found.set(uid, text);
  }
  return found;
};
