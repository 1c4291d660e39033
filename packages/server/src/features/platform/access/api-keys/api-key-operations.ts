import { create } from '@bufbuild/protobuf';
import {
  AuthService,
  type CreateApiKeyRequest,
  type CreateApiKeyResponse,
  CreateApiKeyResponseSchema,
  type ListApiKeysRequest,
  type ListApiKeysResponse,
  ListApiKeysResponseSchema,
  type RevokeApiKeyRequest,
  type RevokeApiKeyResponse,
  RevokeApiKeyResponseSchema,
} from '@svc/api/gateway';
import type { CallContext } from '../../../../auth/contract.ts';
import { type AncestorsOf, type AuditAppender, secretHash } from '../../../../auth/index.ts';
import {
  type Clock,
  decodePageToken,
  encodePageToken,
  type Ids,
  invalidField,
  notFound,
  pageSize,
  placeNumber,
  type Random,
} from '../../../../base/index.ts';
import { admin, type Operation, operation } from '../../../../operations/index.ts';
import type { Bus, Store, WriteTx } from '../../../../store/contracts/index.ts';
import { areWithin, readGrants, requireNamespaces, requireRestriction, requireWithin } from '../grant-rules.ts';
import { API_KEYS_CHANGED } from './api-key-directory.ts';
import { type ApiKeyRecord, apiKeyMessage, apiKeyPrefix, isApiKeyId } from './api-key-record.ts';
import { findApiKey, insertApiKey, lastUses, listApiKeys, replaceApiKey } from './api-key-rows.ts';

export interface ApiKeyOperationsDeps {
  readonly store: Pick<Store, 'read' | 'write'>;
  readonly bus: Pick<Bus, 'publish'>;
  /** The clock that credentials are judged by. */
  readonly clock: Pick<Clock, 'nowMicros'>;
  readonly ids: Pick<Ids, 'next'>;
  readonly random: Pick<Random, 'fill'>;
  readonly audit: AuditAppender;
  readonly ancestorsOf: AncestorsOf;
}

const SECRET_BYTES = 32;
const NAME_MAX = 253;
/** Micros that a number holds exactly. */
const LATEST = BigInt(Number.MAX_SAFE_INTEGER);
const CONTROL = /\p{Cc}/u;

/** CreateApiKey, ListApiKeys and RevokeApiKey. */
export const apiKeyOperations = (deps: ApiKeyOperationsDeps): readonly Operation[] => [
  operation(AuthService.method.createApiKey, {
    access: admin('own'),
    handle: (request, context) => createApiKey(deps, request, context),
  }),
  operation(AuthService.method.listApiKeys, {
    access: admin('own'),
    handle: (request, context) => list(deps, request, context),
  }),
  operation(AuthService.method.revokeApiKey, {
    access: admin('own'),
    handle: (request, context) => revoke(deps, request, context),
  }),
];

const createApiKey = async (
  deps: ApiKeyOperationsDeps,
  request: CreateApiKeyRequest,
  context: CallContext,
): Promise<CreateApiKeyResponse> => {
  const { name, expiresAt, force } = request;
  if (name.length > NAME_MAX || CONTROL.test(name))
    throw invalidField('name', `must have at most ${NAME_MAX} characters and no control characters`);
  if (expiresAt !== undefined && expiresAt > LATEST) throw invalidField('expiresAt', 'must lie before the year 2255');
  const grants = readGrants(request.grants);
  requireWithin(grants, context.caller.grants, deps.ancestorsOf);
  requireRestriction(context.caller);
  const id = deps.ids.next().replaceAll('-', '');
  const secret = `${apiKeyPrefix(id)}_${Buffer.from(deps.random.fill(new Uint8Array(SECRET_BYTES))).toString('base64url')}`;
  const hash = secretHash(secret).toString('hex');
  const record = await deps.store.write(async (tx) => {
    await requireNamespaces(tx, grants, force);
    if (expiresAt !== undefined && expiresAt <= BigInt(deps.clock.nowMicros()))
      throw invalidField('expiresAt', 'must lie in the future');
    const made: ApiKeyRecord = {
      id,
      name,
      hash,
      grants,
      createdAt: tx.now(),
      ...(expiresAt === undefined ? {} : { expiresAt: Number(expiresAt) }),
    };
    await insertApiKey(tx, made);
    await note(deps, tx, { context, id, outcome: 'created' });
    return made;
  });
  return create(CreateApiKeyResponseSchema, { key: apiKeyMessage(record, 0), secret });
};

const note = (
  deps: ApiKeyOperationsDeps,
  tx: WriteTx,
  fact: { readonly context: CallContext; readonly id: string; readonly outcome: string },
): Promise<void> =>
  deps.audit(tx, fact.context, {
    target: `ApiKey/${fact.id}`,
    namespace: '',
    resourceVersion: '',
    outcome: fact.outcome,
  });

const list = async (
  deps: ApiKeyOperationsDeps,
  request: ListApiKeysRequest,
  { caller }: CallContext,
): Promise<ListApiKeysResponse> => {
  const size = pageSize(request.pageSize);
  const question = ['api-keys', request.includeRevoked];
  const [before] = decodePageToken(request.pageToken, question) ?? [];
  const wanted = (record: ApiKeyRecord): boolean =>
    (request.includeRevoked || record.revokedAt === undefined) &&
    areWithin(record.grants, caller.grants, deps.ancestorsOf);
  return deps.store.read(async (tx) => {
    const query = { before: before === undefined ? undefined : placeNumber(before), limit: size + 1, wanted };
    const found = await listApiKeys(tx.instance, query);
    const page = found.slice(0, size);
    const last = page.at(-1);
    const uses = await lastUses(
      tx,
      page.map(({ record }) => record.id),
    );
    const hasMore = found.length > size && last !== undefined;
    return create(ListApiKeysResponseSchema, {
      keys: page.map(({ record }) => apiKeyMessage(record, uses.get(record.id) ?? 0)),
      nextPageToken: hasMore ? encodePageToken(question, [String(last.ordinal)]) : '',
    });
  });
};

/** A key beyond the caller's grants is not there for them; one revoked before keeps the time of that. */
const revoke = (
  deps: ApiKeyOperationsDeps,
  { id }: RevokeApiKeyRequest,
  context: CallContext,
): Promise<RevokeApiKeyResponse> =>
  deps.store.write(async (tx) => {
    const found = isApiKeyId(id) ? await findApiKey(tx.instance, id) : undefined;
    if (found === undefined || !areWithin(found.grants, context.caller.grants, deps.ancestorsOf))
      throw notFound('ApiKey', { id });
    const record = found.revokedAt === undefined ? { ...found, revokedAt: tx.now() } : found;
    if (record !== found) {
      await replaceApiKey(tx, record);
      await note(deps, tx, { context, id, outcome: 'revoked' });
      tx.afterCommit(() => deps.bus.publish(API_KEYS_CHANGED, id));
    }
    const uses = await lastUses(tx, [id]);
    return create(RevokeApiKeyResponseSchema, { key: apiKeyMessage(record, uses.get(id) ?? 0) });
  });
