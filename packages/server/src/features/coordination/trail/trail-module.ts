import { create } from '@bufbuild/protobuf';
import { type TrailEntry as TrailEntryMessage, TrailEntrySchema } from '@svc/api/data';
import {
  type GetMessageTrailRequest,
  type GetMessageTrailResponse,
  GetMessageTrailResponseSchema,
  TrailService,
} from '@svc/api/gateway';
import type { Authorizer, CallContext } from '../../../auth/contract.ts';
import { invalidField, notFound } from '../../../base/index.ts';
import { requireNamespace } from '../../../controllers/facade-contract.ts';
import { operation, viewer } from '../../../operations/index.ts';
import type { Store } from '../../../store/contracts/index.ts';
import type { FeatureModule } from '../../module-contract.ts';
import type { TrailEntry, TrailPlace, TrailSource } from '../../trail-source.ts';
import { walkTrail } from './trail-walk.ts';

interface TrailModuleDeps {
  readonly store: Pick<Store, 'read'>;
  readonly authorizer: Authorizer;
  /** What each feature knows of its records; asked for at each call, because features are listed after they are made. */
  readonly sources: () => readonly TrailSource[];
}

/** The operation GetMessageTrail. */
export const trailModule = (deps: TrailModuleDeps): FeatureModule => ({
  operations: [
    operation(TrailService.method.getMessageTrail, {
      access: viewer('fields'),
      handle: (request, call) => messageTrail(deps, request, call),
    }),
  ],
});

const ID_MAX = 512;

const messageTrail = async (
  { store, authorizer, sources }: TrailModuleDeps,
  { ns, id }: GetMessageTrailRequest,
  { caller }: Pick<CallContext, 'caller'>,
): Promise<GetMessageTrailResponse> => {
  if (id === '' || id.length > ID_MAX) throw invalidField('id', `must have 1 to ${ID_MAX} characters`);
  const start = await store.read(async (reads) => {
    await requireNamespace(reads, ns);
    const found: TrailPlace[] = [];
    for (const source of sources()) found.push(...((await source.find?.(reads, { namespace: ns, id })) ?? []));
    return found;
  });
  if (start.length === 0) throw notFound('Trail', { ns, id });
  const isVisible = (namespace: string): boolean => authorizer.allows(caller, 'viewer', { namespace });
  const { entries, isTruncated } = await walkTrail(store, start, { sources: sources(), isVisible });
  return create(GetMessageTrailResponseSchema, { entries: entries.map(entryMessage), truncated: isTruncated });
};

const entryMessage = (entry: TrailEntry): TrailEntryMessage =>
  create(TrailEntrySchema, {
    kind: entry.kind,
    id: entry.id,
    ns: entry.namespace,
    agent: entry.agent ?? '',
    sessionId: entry.sessionId ?? '',
    name: entry.name ?? '',
    at: BigInt(entry.at),
    ...(entry.endedAt === undefined ? {} : { endedAt: BigInt(entry.endedAt) }),
    state: entry.state,
    reason: entry.reason ?? '',
    text: entry.text ?? '',
    causedBy: entry.causedBy ?? '',
  });
