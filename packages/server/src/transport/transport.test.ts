import { create, fromBinary, toBinary, toJson } from '@bufbuild/protobuf';
import { SessionMessageSchema } from '@svc/api/data';
import { AppendSessionMessageResponseSchema, GatewayService, GetAgentResponseSchema } from '@svc/api/gateway';
import { methods } from '@svc/api/methods';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { TransportServer } from './contract.ts';
import { createTransport } from './create-transport.ts';
import { allTransports, bindRest, type TransportClient } from './testing/all-transports.ts';
import { unary } from './testing/declared.ts';
import { randomMessage } from './testing/random-message.ts';
import { getAgent, testAgent, testParts } from './testing/transport-parts.ts';

let server: TransportServer | undefined;
let clients: TransportClient[] = [];

afterEach(async () => {
  for (const client of clients) client.close();
  clients = [];
  await server?.close();
  server = undefined;
});

const start = async (parts = testParts(), token = 'Bearer good'): Promise<TransportClient[]> => {
  server = await createTransport(parts);
  clients = allTransports(`http://127.0.0.1:${server.port}`, token, bindRest(methods));
  return clients;
};

describe('the same call through every transport', () => {
  test('gives the same answer', async () => {
    const bytes = toBinary(GetAgentResponseSchema, create(GetAgentResponseSchema, { agent: testAgent }));
    const expected = toJson(GetAgentResponseSchema, fromBinary(GetAgentResponseSchema, bytes));
    for (const client of await start()) {
      expect({ client: client.name, ...(await client.call('GetAgent', { ns: 'default', name: 'helper' })) }).toEqual({
        client: client.name,
        answer: expected,
      });
    }
  });

  test('gives the same fault with code, text and reason', async () => {
    const fault = { code: 'NOT_FOUND', message: 'agent not found: default/nöpe%', reason: 'AGENT_NOT_FOUND' };
    for (const client of await start()) {
      expect({ client: client.name, ...(await client.call('GetAgent', { ns: 'default', name: 'nöpe%' })) }).toEqual({
        client: client.name,
        ...fault,
      });
    }
  });

  test('refuses a missing credential alike', async () => {
    for (const client of await start(testParts(), 'Bearer bad')) {
      const outcome = await client.call('GetAgent', { ns: 'default', name: 'helper' });
      expect({ client: client.name, ...outcome }).toMatchObject({
        client: client.name,
        code: 'UNAUTHENTICATED',
        reason: 'CREDENTIALS_INVALID',
      });
    }
  });

  test('answers UNIMPLEMENTED for an operation nobody mounted', async () => {
    for (const client of await start()) {
      const outcome = await client.call('ListAgents', { ns: 'default' });
      expect({ client: client.name, ...outcome }).toMatchObject({
        client: client.name,
        code: 'UNIMPLEMENTED',
        reason: 'METHOD_UNKNOWN',
      });
    }
  });

  test('hides what broke inside behind INTERNAL', async () => {
    const broken = unary(GatewayService.method.listAgents, async () => {
      throw new Error('secret detail');
    });
    for (const client of await start(testParts({ operations: [getAgent, broken] }))) {
      const outcome = await client.call('ListAgents', { ns: 'default' });
      expect(outcome).toMatchObject({ code: 'INTERNAL', reason: 'INTERNAL' });
      expect(outcome.message).not.toContain('secret');
    }
  });

  test('carries any message there and back unchanged', async () => {
    const echo = unary(GatewayService.method.appendSessionMessage, async ({ sessionId, message }) => ({
      sessionId,
      ...(message === undefined ? {} : { message }),
    }));
    const all = await start(testParts({ operations: [echo] }));
    const desc = AppendSessionMessageResponseSchema;
    await fc.assert(
      fc.asyncProperty(randomMessage(SessionMessageSchema, 2), async (message) => {
        const bytes = toBinary(desc, create(desc, { sessionId: 's', message } as never));
        const expected = toJson(desc, fromBinary(desc, bytes));
        for (const client of all) {
          const outcome = await client.call('AppendSessionMessage', { ns: 'n', agent: 'a', sessionId: 's', message });
          expect({ client: client.name, ...outcome }).toEqual({ client: client.name, answer: expected });
        }
      }),
      { numRuns: 25 },
    );
  });
});
