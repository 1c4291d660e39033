import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import {
  type Client,
  credentials,
  loadPackageDefinition,
  type ServiceClientConstructor,
  type ServiceError,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { services } from '@svc/api/methods';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RestCaller } from './calls/index.ts';
import { ServerProcess } from './server-process/index.ts';
import { grpcError } from './transports/callers/index.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

let server: ServerProcess;
let rest: RestCaller;
beforeAll(async () => {
  server = await ServerProcess.start();
  rest = new RestCaller(server.url);
  await rest.createAgent('one', { systemPrompt: 'be brief' });
});
afterAll(() => server[Symbol.asyncDispose]());

/** A grpc-js client made from the .proto files at run time, as people do who generate nothing. */
const clientOf = (file: string, service: string): Client & Record<string, (...given: unknown[]) => unknown> => {
  const includeDirs = [`${root}proto`, `${root}node_modules/google-proto-files`];
  const loaded = loadSync(file, { includeDirs, enums: String, longs: String, defaults: true, oneofs: true });
  const found = service
    .split('.')
    .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], loadPackageDefinition(loaded));
  const Constructor = found as ServiceClientConstructor;
  return new Constructor(`127.0.0.1:${server.port}`, credentials.createInsecure()) as never;
};
const unary = <T>(client: ReturnType<typeof clientOf>, method: string, request: object): Promise<T> =>
  new Promise((resolve, reject) => {
    client[method]!(request, (error: ServiceError | null, answer: T) =>
      error === null ? resolve(answer) : reject(error),
    );
  });

describe('grpc.health.v1', () => {
  const open = () => clientOf('grpc/health/v1/health.proto', 'grpc.health.v1.Health');

  it('serves the whole server and every service, and knows no other', async () => {
    const health = open();
    for (const service of ['', ...services.map((descriptor) => descriptor.typeName)]) {
      expect(await unary(health, 'check', { service })).toEqual({ status: 'SERVING' });
    }
    await expect(unary(health, 'check', { service: 'nobody' })).rejects.toMatchObject({ code: 5 });
    health.close();
  });

  it('tells a watcher at once', async () => {
    const health = open();
    const watch = health['watch']!({ service: '' }) as AsyncIterable<unknown> & { cancel(): void };
    for await (const answer of watch) {
      expect(answer).toEqual({ status: 'SERVING' });
      break;
    }
    health.close();
  });
});

describe.each(['v1', 'v1alpha'])('grpc.reflection.%s', (version) => {
  interface Answer {
    readonly message_response: string;
    readonly list_services_response?: { readonly service: readonly { readonly name: string }[] };
    readonly file_descriptor_response?: { readonly file_descriptor_proto: readonly Buffer[] };
    readonly error_response?: { readonly error_code: number };
  }
  const ask = async (question: object): Promise<Answer> => {
    const includeDirs = [`${root}proto`];
    const loaded = loadSync(`grpc/reflection/${version}/reflection.proto`, {
      includeDirs,
      keepCase: true,
      oneofs: true,
    });
    const packages = loadPackageDefinition(loaded) as unknown as {
      grpc: { reflection: Record<string, { ServerReflection: ServiceClientConstructor }> };
    };
    const client = new packages.grpc.reflection[version]!.ServerReflection(
      `127.0.0.1:${server.port}`,
      credentials.createInsecure(),
    );
    const call = client['ServerReflectionInfo']!() as AsyncIterable<Answer> & {
      write(question: object): void;
      end(): void;
    };
    call.write(question);
    call.end();
    try {
      for await (const answer of call) return answer;
      throw new Error('no answer');
    } finally {
      client.close();
    }
  };

  it('lists every service and describes what it lists', async () => {
    const { list_services_response } = await ask({ list_services: '' });
    const names = list_services_response?.service.map((service) => service.name) ?? [];
    for (const { typeName } of services) expect(names).toContain(typeName);
    for (const name of names) {
      const { file_descriptor_response } = await ask({ file_containing_symbol: name });
      const files = (file_descriptor_response?.file_descriptor_proto ?? []).map((bytes) =>
        fromBinary(FileDescriptorProtoSchema, bytes),
      );
      const declared = files.flatMap((file) => file.service.map((service) => `${file.package}.${service.name}`));
      expect(declared).toContain(name);
    }
  });

  it('says that it does not know a symbol', async () => {
    expect((await ask({ file_containing_symbol: 'svc.Nothing' })).error_response?.error_code).toBe(5);
  });
});

describe('grpc-js with proto-loader', () => {
  it('calls an operation and reads the details of a failure', async () => {
    const gateway = clientOf('svc/gateway/gateway_service.proto', 'svc.gateway.GatewayService');
    const answer = await unary<{ agent: { metadata: { name: string } } }>(gateway, 'getAgent', {
      ns: 'default',
      name: 'one',
    });
    expect(answer.agent.metadata.name).toBe('one');
    const failure = await unary(gateway, 'getAgent', { ns: 'default', name: 'two' }).catch((error: unknown) => error);
    expect(grpcError(failure as ServiceError)).toMatchObject({
      code: 'NOT_FOUND',
      reason: 'AGENT_NOT_FOUND',
      metadata: { ns: 'default', name: 'two' },
    });
    gateway.close();
  });
});

describe('buf curl', () => {
  const method = (name: string): string => `${server.url}/svc.gateway.GatewayService/${name}`;
  const curl = async (...parameters: string[]): Promise<unknown> => {
    const { stdout } = await run(`${root}node_modules/.bin/buf`, ['curl', ...parameters], { cwd: root });
    return JSON.parse(`[${stdout.trim().replaceAll(/\}\s*\{/g, '},{')}]`);
  };
  const h2c = '--http2-prior-knowledge';
  const agent = [{ agent: { metadata: { name: 'one' }, spec: { systemPrompt: 'be brief' } } }];

  it.each([
    ['gRPC and reflection', [h2c, '--protocol', 'grpc']],
    ['gRPC and the .proto files', [h2c, '--protocol', 'grpc', '--schema', '.']],
    ['gRPC-web and the .proto files', ['--protocol', 'grpcweb', '--schema', '.']],
    ['Connect and the .proto files', ['--schema', '.']],
  ])('reads an agent by %s', async (_, options) => {
    expect(await curl(...options, '-d', '{"ns":"default","name":"one"}', method('GetAgent'))).toMatchObject(agent);
  });

  it.each([
    ['gRPC and reflection', [h2c, '--protocol', 'grpc']],
    ['Connect and the .proto files', ['--schema', '.']],
  ])('reads the stream of a turn by %s', async (_, options) => {
    const session = await rest.createSession('one');
    const { turnId } = await rest.send(session, 'hello', { waitSeconds: 30 });
    const request = JSON.stringify({ ns: 'default', agent: 'one', sessionId: session[1], turnId });
    const events = (await curl(...options, '-d', request, method('StreamSessionParts'))) as readonly { kind: string }[];
    expect(events).toMatchObject([
      { part: { content: 'You said: hello' } },
      { part: { partType: 'SESSION_MESSAGE_PART_TYPE_USAGE' } },
      { kind: 'SESSION_MESSAGE_PART_EVENT_KIND_DONE' },
    ]);
  });
});
