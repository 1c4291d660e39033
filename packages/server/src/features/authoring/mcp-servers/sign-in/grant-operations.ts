import { create } from '@bufbuild/protobuf';
import {
  type ListMcpGrantsRequest,
  type ListMcpGrantsResponse,
  ListMcpGrantsResponseSchema,
  type McpGrant,
  McpGrantSchema,
  McpSignInService,
  type RevokeMcpGrantRequest,
  type RevokeMcpGrantResponse,
  RevokeMcpGrantResponseSchema,
  type StartMcpSignInRequest,
  type StartMcpSignInResponse,
  StartMcpSignInResponseSchema,
} from '@svc/api/gateway';
import type { Authorizer, CallContext } from '../../../../auth/contract.ts';
import { decodePageToken, encodePageToken, Fault, notFound, pageSize } from '../../../../base/index.ts';
import type { AppendAudit, NamespaceFacts } from '../../../../controllers/contract.ts';
import { requireNamespace } from '../../../../controllers/facade-contract.ts';
import { type Operation, operation, operator, viewer } from '../../../../operations/index.ts';
import { OAuthFailure } from '../../../../protocols/mcp-oauth/contract.ts';
import type { ValueSeal } from '../../../../resources/index.ts';
import type { Store, WriteTx } from '../../../../store/contracts/index.ts';
import type { Grant, Grants } from './grants.ts';
import { queueRevocation } from './revocations.ts';
import type { SignInSubject, SignIns } from './sign-ins.ts';

export interface GrantOperationsDeps {
  readonly store: Pick<Store, 'direct' | 'read' | 'write'>;
  readonly seal: ValueSeal;
  readonly grants: Grants;
  readonly signIns: Pick<SignIns, 'begin'>;
  readonly authorizer: Pick<Authorizer, 'allows'>;
  readonly namespaces: Pick<NamespaceFacts, 'requireLive'>;
  readonly audit: AppendAudit;
  readonly wake: () => void;
  /** What a person would sign in to; undefined where there is no such server, `no-sign-in` where the server needs none. */
  readonly subjectOf: (
    namespace: string,
    server: string,
    identity: string,
  ) => Promise<SignInSubject | 'no-sign-in' | undefined>;
}

/** Rows that one page of a list reads at most to find those that fit. */
const READ_MAX = 5_000;
const PAGE = 200;

/** ListMcpGrants, StartMcpSignIn, RevokeMcpGrant. */
export const grantOperations = (deps: GrantOperationsDeps): readonly Operation[] => {
  const { method } = McpSignInService;
  return [
    operation(method.listMcpGrants, {
      access: viewer('fields'),
      handle: (request, context) => listGrants(deps, request, context),
    }),
    operation(method.startMcpSignIn, {
      access: operator('fields'),
      handle: (request, context) => startSignIn(deps, request, context),
    }),
    operation(method.revokeMcpGrant, {
      access: operator('fields'),
      handle: (request, context) => revokeGrant(deps, request, context),
    }),
  ];
};

const listGrants = async (
  { store, grants, authorizer }: GrantOperationsDeps,
  request: ListMcpGrantsRequest,
  { caller }: CallContext,
): Promise<ListMcpGrantsResponse> => {
  const { ns, server, identity } = request;
  const limit = pageSize(request.pageSize);
  const question = ['mcp-grants', ns, server, identity];
  const seesAll = authorizer.allows(caller, 'admin', { namespace: ns });
  const isShown = (grant: Grant): boolean =>
    grant.state === 'active' &&
    (seesAll || ['', caller.identity].includes(grant.key.identity)) &&
    (server === '' || grant.server === server) &&
    (identity === '' || grant.key.identity === identity);
  return store.read(async (tx) => {
    await requireNamespace(tx, ns);
    const found: Grant[] = [];
    const [serverUid, person = ''] = decodePageToken(request.pageToken, question) ?? [];
    let after = serverUid === undefined ? undefined : { serverUid, identity: person };
    for (let read = 0; read < READ_MAX; read += PAGE) {
      const rows = await grants.ofNamespace(tx, ns, { after, limit: PAGE });
      for (const grant of rows) {
        if (found.length === limit && isShown(grant)) return page(found, question, after);
        if (isShown(grant)) found.push(grant);
        after = grant.key;
      }
      if (rows.length < PAGE) return page(found, question, undefined);
    }
    return page(found, question, after);
  });
};

const page = (
  found: readonly Grant[],
  question: readonly (string | boolean)[],
  after: { readonly serverUid: string; readonly identity: string } | undefined,
): ListMcpGrantsResponse =>
  create(ListMcpGrantsResponseSchema, {
    grants: found.map(grantMessage),
    nextPageToken: after === undefined ? '' : encodePageToken([...question], [after.serverUid, after.identity]),
  });

const startSignIn = async (
  deps: GrantOperationsDeps,
  { ns, server }: StartMcpSignInRequest,
  context: CallContext,
): Promise<StartMcpSignInResponse> => {
  const { store, grants, signIns, namespaces, audit } = deps;
  await requireNamespace(store.direct, ns);
  await namespaces.requireLive(store.direct, ns);
  const subject = await deps.subjectOf(ns, server, context.caller.identity);
  if (subject === undefined) throw notFound('McpServer', { ns, name: server });
  if (subject === 'no-sign-in')
    throw new Fault('FAILED_PRECONDITION', 'MCP_NO_SIGN_IN', `no one signs in to MCP server ${server}`, {
      metadata: { ns, server },
    });
  const { url, expiresAt } = await signIns.begin(subject, context.signal).catch((error: unknown) => {
    if (!(error instanceof OAuthFailure)) throw error;
    const code = error.kind === 'unreachable' ? 'UNAVAILABLE' : 'FAILED_PRECONDITION';
    throw new Fault(code, 'MCP_SIGN_IN_FAILED', error.message, { metadata: { ns, server }, cause: error });
  });
  const found = await grants.find(store.direct, subject.key);
  await store.write((tx) => audit(tx, context, entry(subject, 'sign-in-started')));
  return create(StartMcpSignInResponseSchema, {
    url,
    expiresAt: BigInt(expiresAt),
    server: subject.server,
    ...(found?.state === 'active' ? { grant: grantMessage(found) } : {}),
  });
};

const revokeGrant = async (
  deps: GrantOperationsDeps,
  request: RevokeMcpGrantRequest,
  context: CallContext,
): Promise<RevokeMcpGrantResponse> => {
  const { ns, server, shared } = request;
  const { caller } = context;
  const identity = shared ? '' : request.identity === '' ? caller.identity : request.identity;
  if (identity !== caller.identity && !deps.authorizer.allows(caller, 'admin', { namespace: ns }))
    throw new Fault('PERMISSION_DENIED', 'ROLE', 'the sign-ins of others take the role admin in the namespace', {
      metadata: { ns, server },
    });
  await requireNamespace(deps.store.direct, ns);
  const subject = await deps.subjectOf(ns, server, identity);
  const name = typeof subject === 'object' ? subject.server : server;
  const revoked = await deps.store.write((tx) => revokeIn(deps, tx, { ns, name, identity, context }));
  if (!revoked) throw notFound('McpGrant', { ns, server, identity });
  return create(RevokeMcpGrantResponseSchema, { success: true });
};

/** Servers of that name may be several, in the namespace, its ancestors and `system`: the sign-ins to all of them end. */
const revokeIn = async (
  { grants, seal, audit, wake }: GrantOperationsDeps,
  tx: WriteTx,
  wanted: { readonly ns: string; readonly name: string; readonly identity: string; readonly context: CallContext },
): Promise<boolean> => {
  let revoked = false;
  let after: Grant['key'] | undefined;
  for (;;) {
    const rows = await grants.ofNamespace(tx, wanted.ns, { after, limit: PAGE });
    for (const { key, server } of rows) {
      if (server !== wanted.name || key.identity !== wanted.identity) continue;
      const grant = await grants.find(tx, key);
      if (grant?.state !== 'active') continue;
      const opened = await grants.open(tx, key);
      if (opened !== undefined) await queueRevocation(tx, seal, opened);
      await grants.revoke(tx, grant);
      await audit(tx, wanted.context, entry(grant, 'revoked'));
      tx.afterCommit(wake);
      revoked = true;
    }
    if (rows.length < PAGE) return revoked;
    after = rows.at(-1)?.key;
  }
};

const entry = (
  { key, server, serverNamespace }: Pick<Grant, 'key' | 'server' | 'serverNamespace'>,
  outcome: string,
): Parameters<AppendAudit>[2] => ({
  target: `McpServer/${serverNamespace}/${server}`,
  namespace: key.namespace,
  resourceVersion: '',
  outcome,
});

const grantMessage = (grant: Grant): McpGrant => {
  const { key, server, serverNamespace, issuer, scope, signedInAt, refreshedAt, expiresAt } = grant;
  return create(McpGrantSchema, {
    ns: key.namespace,
    server,
    serverNs: serverNamespace,
    identity: key.identity,
    issuer,
    scope,
    signedInAt: BigInt(signedInAt),
    refreshedAt: BigInt(refreshedAt),
    expiresAt: BigInt(expiresAt),
  });
};
