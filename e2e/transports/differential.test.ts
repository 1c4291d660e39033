import { methods } from '@svc/api/methods';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServerProcess } from '../server-process/index.ts';
import {
  type Caller,
  connectCaller,
  grpcCaller,
  grpcJsCaller,
  grpcWebCaller,
  grpcWebTextCaller,
  type Outcome,
  restCaller,
} from './callers/index.ts';
import { describeCall, generateCall, type PlannedCall, SeededRandom, seedCalls, World } from './plan/index.ts';

const CALLS = 500;
const SEED = 20_261_121;
const services = ['svc.gateway.GatewayService', 'svc.gateway.SessionControlService'];
const operations = methods.filter((method) => services.includes(method.service));

/** Operations with state worth meeting again and again. */
const frequent = operations.filter(({ name }) => /Session|Message$|Agents?$|Namespaces?$|Turns?$/.test(name));

/** Hand-picked calls first, then one random call of every operation, then random ones of those with most behaviour. */
const plan = (): readonly PlannedCall[] => {
  const random = new SeededRandom(SEED);
  const each = operations.map((operation) => generateCall(operation, random));
  const left = CALLS - seedCalls.length - each.length;
  return [...seedCalls, ...each, ...Array.from({ length: left }, () => generateCall(random.pick(frequent), random))];
};

const callers: readonly [string, (url: string) => Caller][] = [
  ['REST', restCaller],
  ['gRPC by grpc-js', (url) => grpcJsCaller(url.replace('http://', ''))],
  ['gRPC by connect-node', grpcCaller],
  ['gRPC-web', (url) => grpcWebCaller(url, { binary: true })],
  ['gRPC-web as JSON', (url) => grpcWebCaller(url, { binary: false })],
  ['gRPC-web text', grpcWebTextCaller],
  ['Connect as proto', (url) => connectCaller(url, { binary: true, get: false })],
  ['Connect as JSON', (url) => connectCaller(url, { binary: false, get: false })],
  ['Connect with GET', (url) => connectCaller(url, { binary: true, get: true })],
];

/** Carries out the whole plan on a server of its own: one transport's writes never meet another's. */
const carryOut = async (makeCaller: (url: string) => Caller, calls: readonly PlannedCall[]): Promise<Outcome[]> => {
  await using server = await ServerProcess.start();
  const caller = makeCaller(server.url);
  const world = new World(caller);
  const outcomes: Outcome[] = [];
  try {
    for (const call of calls) outcomes.push(await world.carryOut(call));
  } finally {
    caller.close();
  }
  return outcomes;
};

describe('the same 500 calls', () => {
  const calls = plan();
  const [[, first]] = callers as [(typeof callers)[number]];
  let reference: readonly Outcome[] = [];
  beforeAll(async () => {
    reference = await carryOut(first, calls);
  });
  afterAll(() => {
    reference = [];
  });

  it('cover every operation, succeed and fail', () => {
    expect(operations.filter((method) => method.service === services[0])).toHaveLength(56);
    expect(new Set(calls.map((call) => call.method.name)).size).toBe(operations.length);
    expect(reference.filter((outcome) => outcome.error === undefined).length).toBeGreaterThan(CALLS / 10);
    const reasons = new Set(reference.map((outcome) => outcome.error?.reason));
    expect(reasons.size).toBeGreaterThan(10);
    expect(reference.filter((outcome) => outcome.error?.code === 'INTERNAL')).toEqual([]);
  });

  it.each(callers.slice(1))('have the same results and errors by %s as by REST', async (_, makeCaller) => {
    const outcomes = await carryOut(makeCaller, calls);
    for (const [index, call] of calls.entries()) {
      const place = `call ${index}: ${describeCall(call)}`;
      // Only REST has a path beside its body: it refuses two values while it decodes, the others when they validate.
      if (reference[index]?.error?.reason === 'PATH_BODY_MISMATCH') expect(outcomes[index]?.error, place).toBeDefined();
      else expect(outcomes[index], place).toEqual(reference[index]);
    }
  });
});
