import { createHash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { SandboxSpecSchema } from '@svc/api/resources';
import { Fault, type Ids, type Random } from '../../../base/index.ts';
import { type ResourceWriter, systemOrigin } from '../../../controllers/contract.ts';
import { recordKey } from '../../../resources/index.ts';
import type { ResourceKey, StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import {
  fitsQuota,
  heldLease,
  inLineFor,
  isHeld,
  LEASE_MICROS,
  type Lease,
  leaseOf,
  leasesOf,
  putLease,
  showInSession,
  WAIT_MICROS,
} from './lease-records.ts';
import { leaseMode } from './sandbox-plan-rules.ts';
import { BACKEND_FINALIZER, leasedStatus } from './sandbox-records.ts';
import {
  type ResolvedPolicy,
  SCOPE_ANNOTATION,
  SESSION_ANNOTATION,
  SESSION_VOLUME,
  VOLUME_ANNOTATION,
} from './sandbox-resolution.ts';

/** For whom a sandbox is leased. */
export interface LeaseRequest {
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly turnId: string;
  /** The same for every run of the call that wants it. */
  readonly callKey: string;
}

export interface LeaseDeps {
  readonly writer: ResourceWriter;
  readonly ids: Ids;
  readonly random: Random;
  /** Names this process. */
  readonly workerId: string;
}

export const SANDBOX_ORIGIN = systemOrigin('sandbox-lease');

export type LeaseOutcome =
  | { readonly lease: Lease; readonly key: ResourceKey }
  /** The quota is used up: ask again. */
  | { readonly waiting: true };

const NAME_CHARS = 20;
const TOKEN_BYTES = 16;

const digest = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, NAME_CHARS);

/** The policy whose quota counts a sandbox. */
const scopeOf = ({ key }: ResolvedPolicy): string => `${key.namespace}/${key.name}`;

/**
 * Leases the sandbox of a session or turn, or one of the pool, within the quota of its policy; makes the record where there is none.
 * The same session gets its sandbox again with a new token. Throws RESOURCE_EXHAUSTED SANDBOX_QUOTA after 30 s of waiting.
 */
export const leaseSandbox = async (
  deps: LeaseDeps,
  tx: WriteTx,
  wanted: { readonly request: LeaseRequest; readonly policy: ResolvedPolicy },
): Promise<LeaseOutcome> => {
  const { request, policy } = wanted;
  const scope = scopeOf(policy);
  await inLineFor(tx, scope);
  const leases = await leasesOf(tx, scope);
  const now = tx.steadyNow();
  await dropTickets(tx, leases);
  const ticketId = `wait-${request.callKey}`;
  const ticket = leases.find(({ id }) => id === ticketId);
  const found = await findSandbox(tx, wanted, leases);
  const own = [ticketId, ...(found === undefined ? [] : [found.uid])];
  const since = ticket?.since ?? now;
  if (!fitsQuota(leases, { most: policy.spec.maxConcurrent, own, since }, now)) {
    if (ticket !== undefined && ticket.expiresAt <= now) {
      await tx.sandboxLeases.remove({ id: ticketId });
      throw new Fault(
        'RESOURCE_EXHAUSTED',
        'SANDBOX_QUOTA',
        `the policy allows ${policy.spec.maxConcurrent} sandboxes at a time, and none became free within 30 s`,
      );
    }
    if (ticket === undefined) await putLease(tx, ticketOf(tx, request, { id: ticketId, scope }));
    return { waiting: true };
  }
  if (ticket !== undefined) await tx.sandboxLeases.remove({ id: ticketId });
  const record = found ?? (await makeSandbox(deps, tx, wanted));
  const former = leases.find(({ id }) => id === record.uid);
  const lease = leaseFor(deps, tx, { request, policy, record, former });
  await putLease(tx, lease);
  await showLease(deps, tx, { key: record.key, lease });
  const { name } = record.key;
  if (former !== undefined && former.body.session !== request.sessionId)
    await showInSession(tx, former.body.session, { from: name, to: '' });
  await showInSession(tx, request.sessionId, { to: name });
  return { lease, key: record.key };
};

/** Removes tickets of callers that are gone: a living one would have seen long ago that its wait is over. */
const dropTickets = async (tx: WriteTx, leases: readonly Lease[]): Promise<void> => {
  for (const { id, state, expiresAt } of leases)
    if (state === 'waiting' && expiresAt + LEASE_MICROS < tx.steadyNow()) await tx.sandboxLeases.remove({ id });
};

const bodyOf = (request: LeaseRequest, name: string, now: number): Lease['body'] => ({
  namespace: request.namespace,
  name,
  agent: request.agent,
  session: request.sessionId,
  turn: '',
  acquiredAt: now,
  isReady: false,
  isReset: false,
  resetCall: '',
});

const ticketOf = (
  tx: WriteTx,
  request: LeaseRequest,
  { id, scope }: { readonly id: string; readonly scope: string },
): Lease => {
  const now = tx.steadyNow();
  const body = bodyOf(request, '', tx.now());
  return { id, scope, since: now, state: 'waiting', token: '', expiresAt: now + WAIT_MICROS, usedAt: now, body };
};

const leaseFor = (
  { random, workerId }: LeaseDeps,
  tx: WriteTx,
  by: {
    readonly request: LeaseRequest;
    readonly policy: ResolvedPolicy;
    readonly record: StoredResource;
    readonly former: Lease | undefined;
  },
): Lease => {
  const { request, policy, record, former } = by;
  const now = tx.steadyNow();
  const isSame = former?.body.session === request.sessionId;
  const mode = leaseMode(policy.spec.template);
  return {
    id: record.uid,
    scope: scopeOf(policy),
    since: former?.since ?? now,
    state: 'held',
    token: Buffer.from(random.fill(new Uint8Array(TOKEN_BYTES))).toString('hex'),
    expiresAt: now + LEASE_MICROS,
    usedAt: now,
    body: {
      ...(isSame ? former.body : bodyOf(request, record.key.name, tx.now())),
      turn: mode === 'turn' ? request.turnId : '',
      worker: workerId,
      acquiredAt: tx.now(),
      // Another session finds nothing of the one before: its backend is replaced.
      isReady: isSame && former.body.isReady,
    },
  };
};

/** The sandbox that the request means, if there is one: of its session, its turn, or a free one of the pool. */
const findSandbox = async (
  tx: WriteTx,
  { request, policy }: { readonly request: LeaseRequest; readonly policy: ResolvedPolicy },
  leases: readonly Lease[],
): Promise<StoredResource | undefined> => {
  const { namespace } = request;
  const usable = async (name: string): Promise<StoredResource | undefined> => {
    const record = await tx.resources.get(recordKey('Sandbox', namespace, name));
    return record?.deletionTimestamp === undefined ? record : undefined;
  };
  if (leaseMode(policy.spec.template) !== 'pool') return usable(sandboxName(request, policy));
  const now = tx.steadyNow();
  const here = leases.filter(({ state, body }) => state !== 'waiting' && body.namespace === namespace);
  const mine = here.find(({ body }) => body.session === request.sessionId);
  const free = here.find((lease) => !isHeld(lease, now));
  for (const lease of [mine, free]) {
    const record = lease === undefined ? undefined : await usable(lease.body.name);
    if (record !== undefined) return record;
  }
  return undefined;
};

/** The same for every call of a session, or of a turn. */
const sandboxName = (request: LeaseRequest, policy: ResolvedPolicy): string =>
  leaseMode(policy.spec.template) === 'turn'
    ? `turn-${digest(scopeOf(policy), request.turnId)}`
    : `session-${digest(scopeOf(policy), request.sessionId)}`;

const makeSandbox = async (
  { writer, ids }: LeaseDeps,
  tx: WriteTx,
  { request, policy }: { readonly request: LeaseRequest; readonly policy: ResolvedPolicy },
): Promise<StoredResource> => {
  const { namespace, sessionId } = request;
  const isPool = leaseMode(policy.spec.template) === 'pool';
  const uid = ids.next();
  const name = isPool ? `pool-${digest(uid)}` : sandboxName(request, policy);
  const { classKey, key, spec } = policy;
  const { resource } = await writer.create(tx, SANDBOX_ORIGIN, {
    key: recordKey('Sandbox', namespace, name),
    uid,
    spec: create(SandboxSpecSchema, {
      policyRef: key.namespace === namespace ? key.name : '',
      classRef: { name: classKey.name, namespace: classKey.namespace },
      ...(spec.template === undefined ? {} : { runtimeTemplate: spec.template }),
    }),
    system: {
      annotations: {
        [SCOPE_ANNOTATION]: scopeOf(policy),
        ...(isPool ? {} : { [SESSION_ANNOTATION]: sessionId, [VOLUME_ANNOTATION]: `${SESSION_VOLUME}${sessionId}` }),
      },
    },
  });
  const held = await writer.writeStatus(tx, resource.key, () => ({ finalizers: [BACKEND_FINALIZER] }));
  return held ?? resource;
};

/** Shows in the record who holds the sandbox. */
const showLease = async (
  { writer }: Pick<LeaseDeps, 'writer'>,
  tx: WriteTx,
  { key, lease }: { readonly key: ResourceKey; readonly lease: Lease },
): Promise<void> => {
  const { agent, session, acquiredAt } = lease.body;
  const shown = { agent, session, token: lease.token, acquiredAt, heartbeatAt: tx.now() };
  const expiresAt = tx.now() + LEASE_MICROS;
  await writer.writeStatus(tx, key, (record) => ({ status: leasedStatus(record, { ...shown, expiresAt }) }));
};

/** Prolongs a lease that is still held; false when it is lost. */
export const renewLease = async (
  tx: WriteTx,
  held: { readonly id: string; readonly token: string },
  usedAt: number,
): Promise<boolean> => {
  const lease = await heldLease(tx, held);
  if (lease === undefined) return false;
  await putLease(tx, { ...lease, expiresAt: tx.steadyNow() + LEASE_MICROS, usedAt: Math.max(lease.usedAt, usedAt) });
  return true;
};

/** Ends a lease; a sandbox of a turn goes with it. Nothing happens where another token holds it. */
export const releaseLease = async (
  deps: Pick<LeaseDeps, 'writer'>,
  tx: WriteTx,
  held: { readonly id: string; readonly token: string },
): Promise<void> => {
  const row = await tx.sandboxLeases.get({ id: held.id });
  if (row === undefined || row.token !== held.token) return;
  const lease = leaseOf(row);
  const key = recordKey('Sandbox', lease.body.namespace, lease.body.name);
  await putLease(tx, { ...lease, state: 'free', token: '', expiresAt: tx.steadyNow() });
  const record = await tx.resources.get(key);
  if (record === undefined || record.uid !== held.id) return;
  if (lease.body.turn === '')
    await deps.writer.writeStatus(tx, key, (current) => ({ status: leasedStatus(current, undefined) }));
  else await deps.writer.remove(tx, SANDBOX_ORIGIN, { key, bySystem: true });
};
