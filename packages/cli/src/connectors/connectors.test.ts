import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { exitCodes } from '../failure.ts';
import { FakeFault } from '../testing/fake-fetch.ts';
import { fakeHost } from '../testing/fake-host.ts';
import { fakeServerModule } from '../testing/fake-server-module.ts';

const environment = {
  SVC_CONNECTOR_API_KEY: 'the-key',
  SVC_WEBHOOK_SECRET: 'a-secret-of-some-length',
  SVC_WEBHOOK_DELIVER_URL: 'http://127.0.0.1:9/replies',
};
const addressIn = (text: string): string => /connector at (http:\S+);/.exec(text)?.[1] ?? '';

describe('svc connector run', () => {
  it('prints a ConnectorClass and a Connector that the server takes', async () => {
    const fake = fakeHost();
    const words = ['connector', 'run', 'slack', '--print-manifests', '--agent', 'helper', '--match', 'team=T1'];
    expect(await fake.run(...words, '--endpoint', 'https://slack.example.org')).toBe(0);
    const { parseManifests } = await fake.host.loadManifests();
    const { documents, findings } = parseManifests(fake.out(), { namespace: 'default' });
    expect(findings).toEqual([]);
    expect(documents.map(({ resource }) => resource?.metadata.name)).toEqual(['slack', 'slack-helper']);
    expect(parseAllDocuments(fake.out()).map((document) => document.toJS().spec)).toMatchObject([
      { runtime: { endpoint: 'https://slack.example.org' }, auth: { apiKey: { env: 'SVC_CONNECTOR_API_KEY' } } },
      { classRef: 'slack', matchFields: { team: 'T1' }, consumer: { session: { agent: 'helper' } } },
    ]);
  });

  it('takes calls with the key until it is stopped, and asks the server to register it', async () => {
    const fake = fakeHost({ environment });
    const ended = fake.run('connector', 'run', 'webhook', '--listen', '0');
    await expect.poll(() => addressIn(fake.err())).toMatch(/^http/);
    const url = addressIn(fake.err());
    const headers = { authorization: 'Bearer the-key', 'content-type': 'application/json' };
    const register = (body: object) =>
      fetch(`${url}/v1/clusters/register`, { method: 'POST', headers, body: JSON.stringify(body) });
    const registration = {
      registrationId: 'r1',
      callbackBaseUrl: 'http://127.0.0.1:9/v1/connectors',
      callbackAuthKind: 'bearer',
      callbackAuthKey: 'svcb_1',
    };
    expect(await (await register(registration)).json()).toEqual({ registrationId: 'r1' });
    // There is no server here, so that the request for a registration fails, which does not stop the connector.
    await expect.poll(() => fake.err()).toContain('svc annotate connectorclass webhook option.svc/reregister=');
    fake.interrupt();
    expect(await ended).toBe(0);
    await expect(register(registration)).rejects.toThrow('fetch failed');
  });

  it('asks a server that is away again until it answers', async () => {
    let asked = 0;
    const GetResource = () => {
      asked += 1;
      throw asked < 8
        ? new FakeFault('UNAVAILABLE', 'STORAGE')
        : new FakeFault('NOT_FOUND', 'CONNECTOR_CLASS_NOT_FOUND', { message: 'there is no class webhook' });
    };
    const fake = fakeHost({ environment, handlers: { unary: { GetResource } } });
    const ended = fake.run('connector', 'run', 'webhook', '--listen', '0');
    await expect.poll(() => fake.err()).toContain('there is no class webhook');
    expect(fake.err()).toContain('trying until it answers');
    const last = asked;
    fake.interrupt();
    expect(await ended).toBe(0);
    expect(asked).toBe(last);
  });

  it('reads settings from a file, and lets flags win', async () => {
    const fake = fakeHost({
      files: {
        '/work/hook.yaml': {
          text: 'listen: 127.0.0.1:0\napiKey: k\nclass: shop\nsettings:\n  secret: short\n  deliverUrl: http://127.0.0.1:9\n',
          mode: 0o600,
        },
      },
    });
    const words = ['connector', 'run', 'webhook', '--settings', 'hook.yaml', '--no-register'];
    expect(await fake.run(...words)).toBe(exitCodes.refused);
    expect(fake.err()).toContain('secret has fewer than 16 characters');
    const ended = fake.run(...words, '--set', 'secret=a-secret-of-some-length');
    await expect.poll(() => addressIn(fake.err())).toMatch(/^http/);
    fake.interrupt();
    expect(await ended).toBe(0);
  });

  it('says that another program listens on its address', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const fake = fakeHost({ environment });
    expect(await fake.run('connector', 'run', 'webhook', '--listen', String(port))).toBe(exitCodes.refused);
    expect(fake.err()).toContain(`cannot listen on 127.0.0.1:${port}: another program listens there`);
    await new Promise((resolve) => other.close(resolve));
  });

  it.each([
    ['there is no connector irc', ['irc'], {}],
    ['the key is missing', ['webhook'], {}],
    ['secret is missing', ['webhook'], { SVC_CONNECTOR_API_KEY: 'k' }],
    ['nonsense is not a setting', ['webhook', '--set', 'nonsense=1'], environment],
    ['--set secret is not name=value', ['webhook', '--set', 'secret'], environment],
    ['x:y is not an address', ['webhook', '--listen', 'x:y'], environment],
    ['there is no file a.yaml', ['webhook', '--settings', 'a.yaml'], environment],
  ])('says that %s', async (text, words, variables) => {
    const fake = fakeHost({ environment: variables });
    expect(await fake.run('connector', 'run', ...words)).toBe(exitCodes.refused);
    expect(fake.err()).toContain(text);
  });

  it.each([
    ['listens is not a field', 'listens: 1'],
    ['settings is not a mapping', 'settings: [a]'],
    ['settings.secret is not a text', 'settings: { secret: [a] }'],
    ['bad.yaml', 'a: ['],
  ])('says of a settings file that %s', async (text, content) => {
    const fake = fakeHost({ environment, files: { '/work/bad.yaml': { text: content, mode: 0o600 } } });
    expect(await fake.run('connector', 'run', 'webhook', '--settings', 'bad.yaml')).toBe(exitCodes.refused);
    expect(fake.err()).toContain(text);
  });
});

describe('svc connector platforms', () => {
  it('lists what each platform wants to know and offers to match', async () => {
    const fake = fakeHost();
    expect(await fake.run('connector', 'platforms')).toBe(0);
    expect(fake.out()).toMatch(/slack +botToken signingSecret apiUrl\? +team channel/);
    expect(await fakeHost().run('connector', 'platforms', '-o', 'yaml')).toBe(0);
  });
});

describe('svc up --connector', () => {
  const up = (variables: Readonly<Record<string, string>>) => {
    const { module, events } = fakeServerModule();
    const applied: { readonly text: string; readonly ns: string }[] = [];
    const ApplyManifests = (request: (typeof applied)[number]) => {
      applied.push(request);
      return {};
    };
    const fake = fakeHost({ server: module, environment: variables, handlers: { unary: { ApplyManifests } } });
    return { fake, applied, events };
  };

  it('runs the connector with the server and declares its class', async () => {
    const { fake, applied, events } = up(environment);
    expect(await fake.run('up', '--no-open', '--no-demo', '--connector', 'webhook')).toBe(0);
    const [document] = parseAllDocuments(applied[0]?.text ?? '');
    expect(document?.toJS()).toMatchObject({ kind: 'ConnectorClass', metadata: { name: 'webhook' } });
    expect(fake.err()).toContain('kind: Connector');
    expect(events.at(-1)).toBe('serve');
    const { endpoint } = document?.toJS().spec.runtime ?? {};
    await expect(fetch(`${endpoint}/healthz`)).rejects.toThrow('fetch failed');
  });

  it('stops the server when the connector cannot start', async () => {
    const { fake, events } = up({});
    expect(await fake.run('up', '--no-open', '--no-demo', '--connector', 'webhook')).toBe(exitCodes.refused);
    expect(fake.err()).toContain('secret is missing');
    expect(events.at(-1)).toBe('close');
  });
});
