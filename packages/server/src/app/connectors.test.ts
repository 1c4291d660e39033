import { beforeAll, describe, expect, it, vi } from 'vitest';
import { AppUnderTest, CLUSTER_KEY, ConnectorBench, ConnectorServiceUnderTest } from './testing/index.ts';

const service = ConnectorServiceUnderTest.ofSuite();
const app = AppUnderTest.ofSuite({ 'limits.registerTimeout': '1' });
const { rest } = app;
const bench = new ConnectorBench(app, service);

beforeAll(async () => {
  await bench.apply(
    { kind: 'Agent', metadata: { name: 'helper' }, spec: { systemPrompt: 'x' } },
    bench.classDocument('chat'),
    bench.connectorDocument('team-one', { team: 't1' }),
  );
  await bench.becomes('Connector', 'team-one', 'ready');
});

const remove = (kind: string, name: string) => rest.ok(`DELETE /v1/ns/default/resources/${kind}/${name}`);

describe('registration of a class', () => {
  it('sends all seven fields with the key of the class, and makes class and connector ready', async () => {
    const [first] = service.registrations('chat');
    expect(first?.headers).toMatchObject({ authorization: `Bearer ${CLUSTER_KEY}`, 'svc-connector-protocol': 'v1' });
    const { callbackAuthKey, clusterId, ...fields } = first?.body ?? {};
    expect([callbackAuthKey, clusterId]).toEqual([expect.stringMatching(/^svcb_/), expect.stringMatching(/./)]);
    expect(fields).toEqual({
      registrationId: 'Namespace/default/ConnectorClass/chat',
      namespace: 'default',
      connectorClass: 'chat',
      callbackBaseUrl: `${app.url}/v1/connectors`,
      callbackAuthKind: 'bearer',
    });
    expect(await bench.shown('ConnectorClass', 'chat')).toMatchObject({ phase: 'ready', observedGeneration: '1' });
    expect((await bench.shown('Connector', 'team-one')).compiledRouteIds).toEqual(['team?team=t1']);
  });

  it('is tried again while the service refuses, without a change of the spec', async () => {
    service.answers.set('refused', { status: 503, body: `no ${CLUSTER_KEY}` });
    await bench.apply(bench.classDocument('refused'));
    await bench.becomes('ConnectorClass', 'refused', 'degraded');
    expect(await bench.condition('ConnectorClass', 'refused', 'Ready')).toBe('False RegistrationRefused');
    expect(JSON.stringify(await bench.shown('ConnectorClass', 'refused'))).not.toContain(CLUSTER_KEY);
    service.answers.delete('refused');
    await bench.becomes('ConnectorClass', 'refused', 'ready');
  });

  it('fails where the service repeats another id; its secret is not accepted then', async () => {
    service.answers.set('echo', { status: 200, body: { registrationId: 'Namespace/other/ConnectorClass/echo' } });
    await bench.apply(bench.classDocument('echo'));
    await bench.becomes('ConnectorClass', 'echo', 'degraded');
    expect(await bench.condition('ConnectorClass', 'echo', 'Ready')).toBe('False EchoMismatch');
    const [first] = service.registrations('echo');
    const headers = { authorization: `Bearer ${first?.body['callbackAuthKey']}` };
    expect(await bench.refused(bench.event(), headers)).toBe('401 CREDENTIALS_INVALID');
    await remove('ConnectorClass', 'echo');
  });

  it('is complete with the first callback where the answer of the service was lost', async () => {
    service.answers.set('lost', 'silence');
    await bench.apply(
      bench.classDocument('lost'),
      bench.connectorDocument('of-lost', { team: 't1' }, { classRef: { name: 'lost' } }),
    );
    await bench.becomes('ConnectorClass', 'lost', 'degraded');
    expect(await bench.condition('ConnectorClass', 'lost', 'Ready')).toBe('False Timeout');
    expect((await bench.shown('Connector', 'of-lost')).phase).toBe('invalid');
    expect(await bench.became(bench.event(), 'lost')).toBe('ACCEPTED accepted');
    expect((await bench.shown('ConnectorClass', 'lost')).phase).toBe('ready');
    service.answers.delete('lost');
  });

  it('says that a variable is not set, and refuses variables that may not be used', async () => {
    await bench.apply(bench.classDocument('unset', { auth: { apiKey: { env: 'CONNECTOR_NOT_SET' } } }));
    await bench.becomes('ConnectorClass', 'unset', 'degraded');
    expect(await bench.condition('ConnectorClass', 'unset', 'Ready')).toBe('False CredentialUnavailable');
    expect(await bench.condition('ConnectorClass', 'unset', 'CredentialResolved')).toBe('False EnvNotSet');
    expect(service.registrations('unset')).toEqual([]);
  });

  it('ends with the class: its secret is refused from then on', async () => {
    await bench.apply(bench.classDocument('gone'));
    await bench.becomes('ConnectorClass', 'gone', 'ready');
    const headers = bench.bearer('gone');
    expect(await bench.became(bench.event(), 'gone')).toBe('UNMATCHED no_route');
    await remove('ConnectorClass', 'gone');
    expect(await bench.refused(bench.event(), headers)).toBe('401 CREDENTIALS_INVALID');
  });
});

describe('a callback', () => {
  it('needs the secret of its own registration, and a refused one uses up no event id', async () => {
    await bench.apply(bench.classDocument('other'));
    await bench.becomes('ConnectorClass', 'other', 'ready');
    const event = bench.event({ registrationId: 'Namespace/default/ConnectorClass/chat' });
    expect(await bench.refused(event, {})).toBe('401 CREDENTIALS_MISSING');
    expect(await bench.refused(event, { authorization: 'Bearer svcb_wrong' })).toBe('401 CREDENTIALS_INVALID');
    expect(await bench.refused(event, bench.bearer('other'))).toBe('403 REGISTRATION');
    expect(await bench.refused({ ...event, registrationId: 'chat' })).toBe('400 FIELD_INVALID');
    expect(await bench.refused({ ...event, connectorClass: 'other' })).toBe('400 CLASS_MISMATCH');
    expect(await bench.became(event)).toBe('ACCEPTED accepted');
  });

  it('may come with the former secret for an hour after another registration', async () => {
    await bench.apply(bench.classDocument('again'));
    await bench.becomes('ConnectorClass', 'again', 'ready');
    const former = bench.bearer('again');
    await bench.apply(bench.classDocument('again', {}, { 'option.svc/reregister': '1' }));
    await vi.waitFor(() => expect(service.registrations('again')).toHaveLength(2), { timeout: 60_000 });
    await vi.waitFor(async () =>
      expect(await app.sql("SELECT id FROM connector_secrets WHERE state = 'retiring'")).toHaveLength(1),
    );
    expect(bench.bearer('again')).not.toEqual(former);
    expect(await bench.refused(bench.event(), former)).toBe('200');
    expect(await bench.became(bench.event(), 'again')).toBe('UNMATCHED no_route');
    await app.sql("UPDATE connector_secrets SET accepted_until = 1 WHERE state = 'retiring'");
    expect(await bench.refused(bench.event(), former)).toBe('401 CREDENTIALS_INVALID');
  });

  it('opens nothing else, and the credentials of callers open no callback', async () => {
    const { status } = await rest.call('POST /v1/connectors/status', { status: 'connected' });
    expect(status).toBe(401);
  });
});

describe('routes', () => {
  it('stay with who holds them; the connector that waits takes them when they become free', async () => {
    await bench.apply(bench.connectorDocument('holder', { team: 'contested' }));
    await bench.apply(bench.connectorDocument('second', { team: 'contested' }));
    expect(await bench.condition('Connector', 'second', 'Indexed')).toBe('False RouteConflict');
    expect(JSON.stringify(await bench.shown('Connector', 'second'))).toContain('default/holder');
    await remove('Connector', 'holder');
    expect(await bench.shown('Connector', 'second')).toMatchObject({
      phase: 'ready',
      compiledRouteIds: ['team?team=contested'],
    });
  });

  it('of a former class become free with the change of the class', async () => {
    await bench.apply(bench.classDocument('next'), bench.connectorDocument('mover', { team: 'moves' }));
    await bench.becomes('ConnectorClass', 'next', 'ready');
    await bench.apply(bench.connectorDocument('stays', { team: 'moves' }));
    await bench.apply(bench.connectorDocument('mover', { team: 'moves' }, { classRef: { name: 'next' } }));
    for (const name of ['mover', 'stays']) expect((await bench.shown('Connector', name)).phase).toBe('ready');
  });

  it('are found by the narrowest index, and fall back to the wider one', async () => {
    await bench.apply(
      bench.connectorDocument('wide', { team: 'both' }),
      bench.connectorDocument('narrow', { team: 'both', channel: 'c' }),
    );
    const reached = async () => {
      const { connectorName } = await bench.send(bench.event({ matchFields: { team: 'both', channel: 'c' } }));
      return connectorName;
    };
    expect(await reached()).toBe('narrow');
    await remove('Connector', 'narrow');
    expect(await reached()).toBe('wide');
  });
});

describe('a report of a service', () => {
  it('is shown as a condition of the connectors it names, or of the class', async () => {
    const report = (fields: object) =>
      rest.ok<{ disposition: string }>('POST /v1/connectors/status', fields, bench.bearer());
    await bench.apply(bench.connectorDocument('reported', { team: 'reported' }));
    const fields = { team: 'reported' };
    expect(await report({ matchFields: fields, status: 'revoked', reason: 'token' })).toMatchObject({
      accepted: true,
      disposition: 'accepted',
    });
    expect(await bench.condition('Connector', 'reported', 'ProviderConnected')).toBe('False Revoked');
    expect((await bench.shown('Connector', 'reported')).phase).toBe('ready');
    expect((await report({ matchFields: { team: 'nowhere' }, status: 'connected' })).disposition).toBe('unmatched');
    await report({ status: 'connected', later: 'field' });
    expect(await bench.condition('ConnectorClass', 'chat', 'ProviderConnected')).toBe('True Connected');
    expect(await rest.outcome('POST /v1/connectors/status', { status: 'fine' }, bench.bearer())).toBe(
      '400 FIELD_INVALID',
    );
  });
});
