import { create } from '@bufbuild/protobuf';
import { ResourceConditionSchema, ResourceSchema } from '@svc/api/resources';
import { expect, it } from 'vitest';
import { classFacts, connectorFacts, problemsIn, toneOf } from './connector-facts.ts';

const condition = (type: string, status: string, [reason, message = '']: readonly string[]) =>
  create(ResourceConditionSchema, { type, status, reason: reason ?? '', message });

it('says each fault once, and that of Ready only where no other tells it', () => {
  const taken = 'route team?team=T2 belongs to connector default/sales';
  expect(
    problemsIn([
      condition('Ready', 'False', ['NotIndexed', taken]),
      condition('Indexed', 'False', ['RouteConflict', taken]),
      condition('ProviderConnected', 'Unknown', ['NoReport']),
    ]),
  ).toEqual([`RouteConflict: ${taken}`]);
  expect(problemsIn([condition('Ready', 'False', ['Refused'])])).toEqual(['Refused']);
});

it('tells what a class and a connector are', () => {
  const service = create(ResourceSchema, {
    spec: { kind: { case: 'connectorClass', value: { platform: 'chat', runtime: { endpoint: 'https://a.example' } } } },
    status: { kind: { case: 'connectorClass', value: { phase: 'degraded' } } },
  });
  expect(classFacts(service)).toEqual({
    platform: 'chat',
    endpoint: 'https://a.example',
    phase: 'degraded',
    problems: [],
  });
  const connector = create(ResourceSchema, {
    spec: {
      kind: {
        case: 'connector',
        value: {
          classRef: { name: 'chat' },
          matchFields: { team: 'T1', channel: 'C' },
          consumer: { workflow: { name: 'ship' } },
        },
      },
    },
    status: { kind: { case: 'connector', value: { phase: 'ready', compiledRouteIds: ['team?team=T1'] } } },
  });
  expect(connectorFacts(connector)).toMatchObject({
    service: 'chat',
    matches: 'team=T1, channel=C',
    consumer: 'workflow ship',
    routes: ['team?team=T1'],
  });
  expect([toneOf('dead'), toneOf('held'), toneOf('skipped')]).toEqual(['bad', 'warn', 'calm']);
});
