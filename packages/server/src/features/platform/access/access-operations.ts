import { create } from '@bufbuild/protobuf';
import {
  AuditRecordSchema,
  AuthService,
  type ListAuditRecordsRequest,
  type ListAuditRecordsResponse,
  ListAuditRecordsResponseSchema,
  type WhoAmIResponse,
  WhoAmIResponseSchema,
} from '@svc/api/gateway';
import type { CallContext } from '../../../auth/contract.ts';
import { decodePageToken, encodePageToken, pageSize } from '../../../base/index.ts';
import { admin, anyCaller, type Operation, operation } from '../../../operations/index.ts';
import type { AuditRow, ResourceReads, Store } from '../../../store/contracts/index.ts';
import { grantMessage } from './grant-rules.ts';

export interface AccessDeps {
  readonly store: Pick<Store, 'read'>;
  /** Namespaces below one, itself not included. */
  readonly descendants: (resources: ResourceReads, namespace: string) => Promise<readonly string[]>;
  readonly version: string;
}

/** WhoAmI and ListAuditRecords. */
export const accessOperations = (deps: AccessDeps): readonly Operation[] => [
  operation(AuthService.method.whoAmI, {
    access: anyCaller,
    handle: async (_request, context) => whoAmI(deps, context),
  }),
  operation(AuthService.method.listAuditRecords, {
    access: admin('audit'),
    handle: (request) => listAuditRecords(deps, request),
  }),
];

const whoAmI = (deps: AccessDeps, { caller }: CallContext): WhoAmIResponse =>
  create(WhoAmIResponseSchema, {
    subject: caller.subject,
    mode: caller.mode,
    grants: caller.grants.map(grantMessage),
    identity: caller.identity,
    serverVersion: deps.version,
    ...(caller.expiresAt === undefined ? {} : { expiresAt: BigInt(caller.expiresAt) }),
  });

const listAuditRecords = async (
  deps: AccessDeps,
  request: ListAuditRecordsRequest,
): Promise<ListAuditRecordsResponse> => {
  const { ns, identity, operation, since, until } = request;
  const size = pageSize(request.pageSize);
  const question = ['audit', ns, identity, operation, String(since ?? ''), String(until ?? '')];
  const [before] = decodePageToken(request.pageToken, question) ?? [];
  const rows = await deps.store.read(async (tx) =>
    tx.audit.list({
      // By name too: what became of a descendant can still be read after it is gone.
      ...(ns === '' ? {} : { namespaces: [ns, ...(await deps.descendants(tx.resources, ns))], orBegin: `${ns}:` }),
      ...(identity === '' ? {} : { identity }),
      ...(operation === '' ? {} : { operation }),
      ...(since === undefined ? {} : { since: storedTime(since) }),
      ...(until === undefined ? {} : { until: storedTime(until) }),
      ...(before === undefined ? {} : { before }),
      limit: size + 1,
    }),
  );
  const page = rows.slice(0, size);
  const last = page.at(-1);
  const hasMore = rows.length > size && last !== undefined;
  return create(ListAuditRecordsResponseSchema, {
    records: page.map(recordMessage),
    nextPageToken: hasMore ? encodePageToken(question, [last.id]) : '',
  });
};

/** A time that any engine can compare with: no record is beyond the numbers that are exact. */
const storedTime = (micros: bigint): number =>
  Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(micros)));

const recordMessage = (row: AuditRow) =>
  create(AuditRecordSchema, {
    id: row.id,
    time: BigInt(row.at),
    requestId: row.requestId,
    identity: row.identity,
    operation: row.operation,
    target: row.target,
    outcome: row.outcome,
    resourceVersion: row.resourceVersion,
    hash: row.hash,
  });
