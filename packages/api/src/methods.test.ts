import { describe, expect, it } from 'vitest';
import { Health } from './health.ts';
import { describeMethod, type Method, methods, services } from './methods.ts';
import { v1 } from './reflection.ts';
import { furtherOperations } from './testing/further-operation-facts.ts';
import { gatewayOperations, type OperationFact } from './testing/operation-facts.ts';

const operations: Readonly<Record<string, readonly OperationFact[]>> = {
  'svc.gateway.GatewayService': gatewayOperations,
  ...furtherOperations,
};

const rows = Object.entries(operations).flatMap(([service, facts]) =>
  facts.map((fact) => [`${service}/${fact[0]}`, service, fact] as const),
);

function methodFact(method: Method): OperationFact {
  const base = method.service.slice(0, method.service.lastIndexOf('.'));
  const shorten = (name: string) =>
    name.startsWith(`${base}.`) ? name.slice(base.length + 1) : name.slice('svc.'.length);
  const output = shorten(method.output.typeName);
  return [
    method.name,
    method.http.verb,
    method.http.path,
    method.http.body,
    shorten(method.input.typeName),
    method.kind === 'server_streaming' ? `stream ${output}` : output,
  ];
}

describe('operations', () => {
  it('are exactly 56 on GatewayService', () => {
    expect(gatewayOperations).toHaveLength(56);
    expect(methods.filter((method) => method.service === 'svc.gateway.GatewayService')).toHaveLength(56);
  });

  it.each(rows)('%s has its verb, path, body and messages', (rpc, service, fact) => {
    const found = methods.find((method) => method.rpcPath === `/${rpc}`);
    expect(found?.service).toBe(service);
    expect(found && methodFact(found)).toEqual(fact);
  });

  it('are no others than those of the contract', () => {
    expect(methods.map((method) => method.rpcPath).toSorted()).toEqual(rows.map(([rpc]) => `/${rpc}`).toSorted());
    expect(services.map((service) => service.typeName).toSorted()).toEqual(Object.keys(operations).toSorted());
  });

  it('stream from GatewayService in exactly three cases', () => {
    const streams = methods.filter(
      ({ service, kind }) => service.endsWith('GatewayService') && kind === 'server_streaming',
    );
    expect(streams.map(({ name }) => name)).toEqual([
      'StreamSessionParts',
      'StreamSessionPartsBatch',
      'StreamChannelEvents',
    ]);
  });
});

describe('REST bindings', () => {
  it('never give two operations the same verb and template shape', () => {
    const owners = new Map<string, string[]>();
    for (const { http, rpcPath } of methods) {
      const shape = `${http.verb} ${http.path.replace(/\{[^}]+\}/g, '{}')}`;
      owners.set(shape, [...(owners.get(shape) ?? []), rpcPath]);
    }
    expect([...owners].filter(([, users]) => users.length > 1)).toEqual([]);
    expect(owners.size).toBe(methods.length);
  });

  it('take path variables from plain text fields of the request', () => {
    for (const { input, http, rpcPath } of methods) {
      for (const [, variable] of http.path.matchAll(/\{([^}]+)\}/g)) {
        const field = input.fields.find(({ name }) => name === variable);
        expect(field?.fieldKind, `${rpcPath} {${variable}}`).toBe('scalar');
        expect(field?.proto.proto3Optional && http.verb !== 'POST').toBe(false);
      }
    }
  });

  it('have a body except with GET and DELETE', () => {
    for (const { http, rpcPath } of methods) {
      expect(http.body, rpcPath).toBe(http.verb === 'GET' || http.verb === 'DELETE' ? '' : '*');
    }
  });

  it('leave only fields that a query string can hold to operations without body', () => {
    for (const { input, http, rpcPath } of methods.filter((method) => method.http.body === '')) {
      const rest = input.fields.filter(({ name }) => !http.path.includes(`{${name}}`));
      const bad = rest.filter((field) => field.fieldKind === 'map' || field.message !== undefined);
      expect(
        bad.map(({ name }) => name),
        rpcPath,
      ).toEqual([]);
    }
  });
});

describe('describeMethod', () => {
  it('refuses an operation whose client streams', () => {
    expect(() => describeMethod(v1.ServerReflection.method.serverReflectionInfo)).toThrow('bidi_streaming');
  });

  it('refuses an operation without a REST binding', () => {
    expect(() => describeMethod(Health.method.check)).toThrow('no REST verb and path');
  });
});
