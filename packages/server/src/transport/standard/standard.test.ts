import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { Health, HealthCheckResponse_ServingStatus as Status } from '@svc/api/health';
import { services } from '@svc/api/methods';
import { v1, v1alpha } from '@svc/api/reflection';
import { afterEach, describe, expect, test } from 'vitest';
import type { ManualClock } from '../../base/index.ts';
import type { TransportParts, TransportServer } from '../contract.ts';
import { createTransport } from '../create-transport.ts';
import { testConfig, testParts } from '../testing/transport-parts.ts';

let server: TransportServer | undefined;
let clock: ManualClock;

afterEach(async () => {
  await server?.close();
});

const start = async (more: Partial<TransportParts> = {}): Promise<string> => {
  const parts = testParts(more);
  clock = parts.manual;
  server = await createTransport(parts);
  return `http://127.0.0.1:${server.port}`;
};

describe('grpc.health.v1', () => {
  test('answers Check for every service without a credential, over gRPC and gRPC-web', async () => {
    const baseUrl = await start();
    for (const transport of [
      createGrpcTransport({ baseUrl }),
      createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }),
    ]) {
      const client = createClient(Health, transport);
      for (const service of ['', ...services.map(({ typeName }) => typeName)]) {
        expect(await client.check({ service })).toMatchObject({ status: Status.SERVING });
      }
      await expect(client.check({ service: 'nope' })).rejects.toThrow('[not_found]');
    }
  });

  test('lists the status of every service, in every protocol', async () => {
    const baseUrl = await start();
    for (const transport of [
      createGrpcTransport({ baseUrl }),
      createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }),
      createConnectTransport({ baseUrl, httpVersion: '1.1' }),
    ]) {
      const { statuses } = await createClient(Health, transport).list({});
      const serving = { status: Status.SERVING };
      expect(statuses).toMatchObject({ '': serving, 'svc.gateway.GatewayService': serving });
      expect(Object.keys(statuses).length).toBeGreaterThan(services.length);
    }
  });

  test('watches over Connect and gRPC-web too', async () => {
    const baseUrl = await start();
    for (const transport of [
      createConnectTransport({ baseUrl, httpVersion: '1.1' }),
      createConnectTransport({ baseUrl, httpVersion: '2' }),
      createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }),
    ]) {
      for await (const { status } of createClient(Health, transport).watch({ service: 'nope' })) {
        expect(status).toBe(Status.SERVICE_UNKNOWN);
        break;
      }
    }
  });

  test('watches readiness change', async () => {
    let ready = false;
    const check = async (): Promise<void> => {
      if (!ready) throw new Error('down');
    };
    const client = createClient(
      Health,
      createGrpcTransport({ baseUrl: await start({ readiness: [{ name: 'store', check }] }) }),
    );
    const seen: Status[] = [];
    for await (const { status } of client.watch({})) {
      seen.push(status);
      if (status === Status.SERVING) break;
      ready = true;
      clock.advance(5000);
    }
    expect(seen).toEqual([Status.NOT_SERVING, Status.SERVING]);
  });
});

describe('reflection', () => {
  const headers = { authorization: 'Bearer good' };
  const list = { messageRequest: { case: 'listServices', value: '' } } as const;

  const ask = async (
    baseUrl: string,
    questions: unknown[],
    version: typeof v1.ServerReflection = v1.ServerReflection,
  ) => {
    const client = createClient(version, createGrpcTransport({ baseUrl }));
    const answers: v1.ServerReflectionResponse['messageResponse'][] = [];
    const asked = (async function* () {
      for (const question of questions) yield question as typeof list;
    })();
    for await (const answer of client.serverReflectionInfo(asked, { headers })) answers.push(answer.messageResponse);
    return answers;
  };

  test.each([v1.ServerReflection, v1alpha.ServerReflection as unknown as typeof v1.ServerReflection])(
    'lists services (%#)',
    async (version) => {
      const [answer] = await ask(await start(), [list], version);
      const names = answer?.case === 'listServicesResponse' ? answer.value.service.map(({ name }) => name) : [];
      expect(names).toEqual(
        expect.arrayContaining([
          'svc.gateway.GatewayService',
          'grpc.health.v1.Health',
          'grpc.reflection.v1.ServerReflection',
        ]),
      );
    },
  );

  test('answers files by name and symbol with what they import, and several questions in order', async () => {
    const answers = await ask(await start(), [
      { messageRequest: { case: 'fileContainingSymbol', value: 'svc.gateway.GatewayService.GetAgent' } },
      { messageRequest: { case: 'fileByFilename', value: 'svc/resources/agent.proto' } },
      { messageRequest: { case: 'fileContainingSymbol', value: 'svc.nope' } },
      { messageRequest: { case: 'allExtensionNumbersOfType', value: 'svc.resources.Agent' } },
      {
        messageRequest: {
          case: 'fileContainingExtension',
          value: { containingType: 'svc.resources.Agent', extensionNumber: 5 },
        },
      },
      { messageRequest: { case: undefined } },
    ]);
    const files = answers.map((answer) =>
      answer.case === 'fileDescriptorResponse'
        ? answer.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name)
        : answer.case,
    );
    expect(files[0]?.[0]).toBe('svc/gateway/gateway_service.proto');
    expect(files[0]).toContain('google/api/annotations.proto');
    expect(files[1]?.[0]).toBe('svc/resources/agent.proto');
    expect(files.slice(2)).toEqual(['errorResponse', 'allExtensionNumbersResponse', 'errorResponse', 'errorResponse']);
  });

  test('needs a credential and may be switched off', async () => {
    const client = createClient(v1.ServerReflection, createGrpcTransport({ baseUrl: await start() }));
    const none = (async function* () {
      yield list;
    })();
    const read = async (iterable: AsyncIterable<unknown>): Promise<void> => {
      for await (const answer of iterable) expect(answer).toBeUndefined();
    };
    await expect(read(client.serverReflectionInfo(none))).rejects.toThrow('[unauthenticated]');
    await server?.close();
    await expect(ask(await start({ config: { ...testConfig, reflection: false } }), [list])).rejects.toThrow(
      '[unimplemented]',
    );
  });
});
