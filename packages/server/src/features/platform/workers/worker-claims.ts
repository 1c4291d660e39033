import { create } from '@bufbuild/protobuf';
import {
  type ListWorkerClaimsRequest,
  type ListWorkerClaimsResponse,
  ListWorkerClaimsResponseSchema,
  type WorkerClaim as WorkerClaimMessage,
  WorkerClaimSchema,
} from '@svc/api/gateway';
import { decodePageToken, encodePageToken, pageSize } from '../../../base/index.ts';
import { resourceNotFound } from '../../../resources/index.ts';
import { parseBody } from '../../../runtime/contract.ts';
import type { Store, TurnRow, WriteTx } from '../../../store/contracts/index.ts';
import { type ClaimSource, shownAt, type WorkerClaim } from '../../claim-source.ts';
import { workerKey } from './worker-records.ts';

export interface WorkerClaimsDeps {
  readonly store: Pick<Store, 'write'>;
  /** What each feature knows; asked for at each call, because features are listed after they are made. */
  readonly sources: () => readonly ClaimSource[];
}

/** Claims of one kind that are read; a worker holds far fewer. */
const CLAIMS_MAX = 1_000;

/** What a worker holds now, by kind and id. */
export const listWorkerClaims = async (
  { store, sources }: WorkerClaimsDeps,
  request: ListWorkerClaimsRequest,
): Promise<ListWorkerClaimsResponse> => {
  const { name } = request;
  const limit = pageSize(request.pageSize);
  const question = ['claims', name];
  const [after = ''] = decodePageToken(request.pageToken, question) ?? [];
  const claims = await store.write(async (tx) => {
    const key = workerKey(name);
    if ((await tx.resources.get(key)) === undefined) throw resourceNotFound(key);
    const found = (await tx.log.claimedTurns(name, CLAIMS_MAX)).map((turn) => turnClaim(tx, turn));
    for (const source of sources()) found.push(...(await source.held(tx, { name }, CLAIMS_MAX)));
    return found;
  });
  const ordered = claims
    .map((claim) => ({ claim, place: placeOf(claim) }))
    .filter(({ place }) => place > after)
    .sort((left, right) => (left.place < right.place ? -1 : 1));
  const page = ordered.slice(0, limit);
  const last = page.at(-1);
  return create(ListWorkerClaimsResponseSchema, {
    claims: page.map(({ claim }) => claimMessage(claim)),
    nextPageToken: ordered.length > limit && last !== undefined ? encodePageToken(question, [last.place]) : '',
  });
};

const turnClaim = (tx: WriteTx, turn: TurnRow): WorkerClaim => ({
  kind: 'turn',
  id: turn.id,
  namespace: turn.namespace,
  name: '',
  agent: turn.agent,
  sessionId: turn.sessionId,
  state: turn.state,
  since: parseBody(turn).startedAt,
  until: shownAt(tx, turn.claimExpiresAt),
  tries: turn.attempt,
});

/** Differs between any two claims that are held at a time. */
const placeOf = ({ kind, namespace, id, state, part = '' }: WorkerClaim): string =>
  [kind, namespace, id, state, part].join(' ');

const claimMessage = (claim: WorkerClaim): WorkerClaimMessage =>
  create(WorkerClaimSchema, {
    kind: claim.kind,
    id: claim.id,
    ns: claim.namespace,
    name: claim.name,
    agent: claim.agent ?? '',
    sessionId: claim.sessionId ?? '',
    state: claim.state,
    since: BigInt(claim.since),
    until: BigInt(claim.until),
    tries: claim.tries,
  });
