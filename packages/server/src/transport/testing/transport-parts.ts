import { create } from '@bufbuild/protobuf';
import { GatewayService, GetAgentResponseSchema } from '@svc/api/gateway';
import { AgentSchema } from '@svc/api/resources';
import type { Authenticator, Caller } from '../../auth/contract.ts';
import { createIds, Fault, ManualClock, notFound, seededRandom, silentLog } from '../../base/index.ts';
import type { Operation } from '../../operations/index.ts';
import type { TransportConfig, TransportParts } from '../contract.ts';
import { unary } from './declared.ts';

/** The documented defaults on a free port, for tests and benchmarks. */
export const testConfig: TransportConfig = {
  host: '127.0.0.1',
  port: 0,
  requestBytes: 8 * 1024 * 1024,
  uiRequestBytes: 32 * 1024 * 1024,
  responseBytes: 4 * 1024 * 1024,
  urlBytes: 8 * 1024,
  headerBytes: 32 * 1024,
  jsonDepth: 100,
  messageElements: 200_000,
  http2Streams: 10_000,
  connections: 10_000,
  connectionsPerAddress: 5000,
  unaryDeadlineMs: 60_000,
  waitDeadlineMs: 300_000,
  drainMs: 30_000,
  corsOrigins: [],
  loopbackOnly: false,
  reflection: true,
  metricsOpen: false,
  trustProxy: false,
  version: '0.0.0-test',
};

export const testCaller: Caller = {
  identity: 'token',
  subject: 'token',
  mode: 'token',
  grants: [{ role: 'admin', readSecrets: true }],
};

/** Accepts `Bearer good`; `Bearer viewer` may read only. */
const testAuthenticator: Authenticator = {
  authenticate(carrier) {
    const header = carrier.header('authorization');
    if (header === undefined) throw new Fault('UNAUTHENTICATED', 'CREDENTIALS_MISSING', 'no credentials');
    if (header === 'Bearer good') return testCaller;
    if (header === 'Bearer viewer')
      return { ...testCaller, identity: 'viewer', grants: [{ role: 'viewer', readSecrets: false }] };
    throw new Fault('UNAUTHENTICATED', 'CREDENTIALS_INVALID', 'unknown credentials');
  },
};

const testAuthorizer: TransportParts['authorizer'] = {
  authorizeEarly(access, _names, caller) {
    this.authorize(access, {}, caller);
  },
  authorize({ need }, _request, caller) {
    if (need !== 'viewer' && caller.identity === 'viewer')
      throw new Fault('PERMISSION_DENIED', 'ROLE', 'needs a higher role');
  },
  allows: (caller) => caller.grants.length > 0,
  readsSecrets: () => true,
};

/** Frozen, as services hand out what they keep. */
export const testAgent = Object.freeze(
  create(AgentSchema, {
    metadata: {
      name: 'helper',
      namespace: 'default',
      labels: { team: 'core' },
      uid: '0190a1b2-0000-7000-8000-000000000001',
      generation: 3n,
      resourceVersion: '42',
    },
    spec: {
      systemPrompt: 'You help people with their questions, briefly and kindly.',
      features: [{ name: 'knowledge', type: 'builtin' }],
      modelPolicy: { profiles: [{ name: 'default', model: { provider: 'demo', name: 'demo', temperature: 0.7 } }] },
    },
    status: {
      phase: 'Ready',
      observedGeneration: 3n,
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: 1_750_000_000_000_000n }],
    },
  }),
);

export const getAgent: Operation = unary(GatewayService.method.getAgent, async (request) => {
  if (request.name !== 'helper') throw notFound('Agent', { ns: request.ns, name: request.name });
  return create(GetAgentResponseSchema, { agent: testAgent });
});

/** Parts with fakes for everything that transport does not own. */
export const testParts = (parts: Partial<TransportParts> = {}): TransportParts & { readonly manual: ManualClock } => {
  const manual = new ManualClock();
  return {
    config: testConfig,
    operations: [getAgent],
    routes: [],
    readiness: [],
    authenticator: testAuthenticator,
    callbacks: testAuthenticator,
    authorizer: testAuthorizer,
    metricsText: async () => 'svc_up 1\n',
    schemaVersion: () => 7,
    clock: manual,
    manual,
    ids: createIds(manual, seededRandom(7)),
    log: silentLog,
    ...parts,
  };
};
