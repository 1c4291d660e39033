import { create } from '@bufbuild/protobuf';
import { type Delivery as DeliveryMessage, DeliverySchema } from '@svc/api/data';
import {
  type DeliveryResponse,
  DeliveryResponseSchema,
  DeliveryService,
  type ListDeliveriesRequest,
  type ListDeliveriesResponse,
  ListDeliveriesResponseSchema,
} from '@svc/api/gateway';
import type { CallContext } from '../../../../auth/contract.ts';
import { decodePageToken, encodePageToken, invalidField, pageSize } from '../../../../base/index.ts';
import type { AppendAudit, NamespaceFacts } from '../../../../controllers/contract.ts';
import { requireNamespace } from '../../../../controllers/facade-contract.ts';
import { type Operation, operation, operator, viewer } from '../../../../operations/index.ts';
import type { DeliveryRow, ReadTx, Store, WriteTx } from '../../../../store/contracts/index.ts';
import { type Delivery, parseDelivery } from '../outbox/index.ts';
import type { DeliveryName, DeliveryReview } from './delivery-review.ts';

export interface DeliveryOperationsDeps {
  readonly store: Pick<Store, 'read' | 'direct' | 'write'>;
  readonly namespaces: Pick<NamespaceFacts, 'requireLive'>;
  readonly audit: AppendAudit;
  readonly review: DeliveryReview;
}

const STATES: ReadonlySet<string> = new Set(['', 'held', 'pending', 'delivered', 'rejected', 'dead', 'skipped']);

/** The operations of DeliveryService. */
export const deliveryOperations = (deps: DeliveryOperationsDeps): readonly Operation[] => {
  const { method } = DeliveryService;
  const { review } = deps;
  return [
    operation(method.listDeliveries, { access: viewer('fields'), handle: (request) => list(deps, request) }),
    operation(method.retryDelivery, {
      access: operator('fields'),
      handle: (request, call) => change(deps, { request, call }, (tx, name) => review.retry(tx, name)),
    }),
    operation(method.releaseDelivery, {
      access: operator('fields'),
      handle: (request, call) => change(deps, { request, call }, (tx, name) => review.release(tx, name)),
    }),
    operation(method.skipDelivery, {
      access: operator('fields'),
      handle: (request, call) => change(deps, { request, call }, (tx, name) => review.skip(tx, name)),
    }),
  ];
};

const list = async (
  { store }: DeliveryOperationsDeps,
  request: ListDeliveriesRequest,
): Promise<ListDeliveriesResponse> => {
  const { ns: namespace, connector, state, pageToken } = request;
  if (!STATES.has(state)) throw invalidField('state', 'must be held, pending, delivered, rejected, dead or skipped');
  const limit = pageSize(request.pageSize);
  const question = ['deliveries', namespace, connector, state];
  const [before] = decodePageToken(pageToken, question) ?? [];
  const after = before === undefined ? undefined : { id: before };
  return store.read(async (tx) => {
    await requireNamespace(tx, namespace);
    const rows = await pageOf(tx, { namespace, connector, state }, { after, limit: limit + 1 });
    const deliveries = rows.slice(0, limit).map((row) => deliveryMessage(parseDelivery(row)));
    const last = deliveries.at(-1);
    const nextPageToken = rows.length > limit && last !== undefined ? encodePageToken(question, [last.id]) : '';
    return create(ListDeliveriesResponseSchema, { deliveries, nextPageToken });
  });
};

/** Newest first; an empty connector or state is none that is asked for. */
const pageOf = (
  { deliveries }: Pick<ReadTx, 'deliveries'>,
  asked: Pick<DeliveryRow, 'namespace' | 'connector' | 'state'>,
  page: { readonly after: { readonly id: string } | undefined; readonly limit: number },
): Promise<readonly DeliveryRow[]> => {
  if (asked.connector === '') return deliveries.page(asked.state === '' ? 'ofNamespace' : 'ofState', asked, page);
  return deliveries.page(asked.state === '' ? 'ofConnector' : 'ofConnectorState', asked, page);
};

interface DeliveryCall {
  readonly request: { readonly ns: string; readonly deliveryId: string };
  readonly call: CallContext;
}

/** Decides about a delivery. Sessions are held before deliveries, and which session that is never changes. */
const change = async (
  { store, namespaces, audit }: DeliveryOperationsDeps,
  { request: { ns: namespace, deliveryId: id }, call }: DeliveryCall,
  decide: (tx: WriteTx, name: DeliveryName) => Promise<Delivery>,
): Promise<DeliveryResponse> => {
  const seen = await store.direct.deliveries.get({ id });
  const sessionId = seen === undefined ? undefined : parseDelivery(seen).body.source.sessionId;
  const next = await store.write(async (tx) => {
    await namespaces.requireLive(tx, namespace);
    if (sessionId !== undefined) await tx.log.lockSession(sessionId);
    const decided = await decide(tx, { namespace, id });
    const target = `Delivery/${namespace}/${id}`;
    await audit(tx, call, { target, namespace, resourceVersion: '', outcome: decided.state });
    return decided;
  });
  return create(DeliveryResponseSchema, { delivery: deliveryMessage(next) });
};

/** A delivery as callers see it. */
export const deliveryMessage = ({ id, namespace, connector, state, body }: Delivery): DeliveryMessage => {
  const { agent = '', sessionId = '', messageId = '', runId = '', channelMessageId = '' } = body.source;
  return create(DeliverySchema, {
    id,
    ns: namespace,
    connector,
    connectorClass: body.className,
    registrationId: body.registrationId,
    state,
    attempts: body.attempts,
    ...(state === 'pending' ? { nextAttemptAt: BigInt(body.nextAttemptAt) } : {}),
    lastError: body.lastError,
    createdAt: BigInt(body.createdAt),
    updatedAt: BigInt(body.updatedAt),
    agent,
    sessionId,
    messageId,
    runId,
    channelMessageId,
    text: body.text,
  });
};
