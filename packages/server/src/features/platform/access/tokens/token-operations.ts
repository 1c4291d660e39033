import { create } from '@bufbuild/protobuf';
import {
  AuthService,
  type MintAccessTokenRequest,
  type MintAccessTokenResponse,
  MintAccessTokenResponseSchema,
} from '@svc/api/gateway';
import type { CallContext } from '../../../../auth/contract.ts';
import { type AncestorsOf, type AuditAppender, credentialsExpired } from '../../../../auth/index.ts';
import { type Clock, invalidField } from '../../../../base/index.ts';
import { anyCaller, type Operation, operation } from '../../../../operations/index.ts';
import type { Store } from '../../../../store/contracts/index.ts';
import { grantMessage, readGrants, requireNamespaces, requireRestriction, requireWithin } from '../grant-rules.ts';
import type { AccessTokens } from './access-tokens.ts';

export interface TokenOperationsDeps {
  readonly store: Pick<Store, 'read' | 'write'>;
  readonly clock: Clock;
  readonly audit: AuditAppender;
  readonly ancestorsOf: AncestorsOf;
  readonly tokens: AccessTokens;
}

const DEFAULT_SECONDS = 900;
const MOST_SECONDS = 86_400;
const SUFFIX = /^[\x21-\x7e]{0,128}$/;
const MICROS = 1_000_000;

/** MintAccessToken. The token is answered once and kept nowhere; that it was made is audited. */
export const tokenOperations = (deps: TokenOperationsDeps): readonly Operation[] => [
  operation(AuthService.method.mintAccessToken, {
    access: anyCaller,
    handle: (request, context) => mint(deps, request, context),
  }),
];

const mint = async (
  deps: TokenOperationsDeps,
  request: MintAccessTokenRequest,
  context: CallContext,
): Promise<MintAccessTokenResponse> => {
  const { caller } = context;
  if (!SUFFIX.test(request.subjectSuffix))
    throw invalidField('subjectSuffix', 'must have at most 128 printable ASCII characters without blanks');
  const grants = readGrants(request.grants);
  requireWithin(grants, caller.grants, deps.ancestorsOf);
  requireRestriction(caller);
  await deps.store.read((tx) => requireNamespaces(tx, grants, request.force));
  const subject = request.subjectSuffix === '' ? caller.subject : `${caller.subject}:${request.subjectSuffix}`;
  const expiresAt = expiryOf(request.ttlSeconds, deps.clock.nowMicros(), caller.expiresAt);
  const accessToken = await deps.tokens.sign({ subject, grants, expiresAt, apiKeyId: caller.apiKeyId });
  await deps.store.write((tx) =>
    deps.audit(tx, context, {
      target: 'AccessToken',
      namespace: '',
      resourceVersion: '',
      outcome: 'created',
    }),
  );
  return create(MintAccessTokenResponseSchema, {
    accessToken,
    tokenType: 'Bearer',
    expiresAt: BigInt(expiresAt * MICROS),
    grants: grants.map(grantMessage),
  });
};

/** Whole seconds, as tokens have them, never beyond the caller's own expiry. */
const expiryOf = (ttlSeconds: number, nowMicros: number, callerExpiry: number | undefined): number => {
  const ttl = ttlSeconds === 0 ? DEFAULT_SECONDS : Math.min(ttlSeconds, MOST_SECONDS);
  const wanted = Math.floor(nowMicros / MICROS) + ttl;
  const expiry = callerExpiry === undefined ? wanted : Math.min(wanted, Math.floor(callerExpiry / MICROS));
  if (expiry * MICROS <= nowMicros) throw credentialsExpired();
  return expiry;
};
