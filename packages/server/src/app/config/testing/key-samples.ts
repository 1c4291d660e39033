import type { KeyRow } from '../keys/index.ts';

/** Three different right values and a wrong one of a key, as text of a flag or variable; text is YAML flow syntax too. */
interface KeySample {
  readonly file: string;
  readonly environment: string;
  readonly flag: string;
  readonly wrong: string;
}

/** Wrong for text in a file; in a variable it would be a text like any other. */
export const NO_TEXT = '{"no":"text"}';

const sample = (...[file, environment, flag, wrong]: [string, string, string, string]): KeySample => ({
  file,
  environment,
  flag,
  wrong,
});

/** Keys whose values have a form of their own. */
const special: Readonly<Record<string, KeySample>> = {
  'server.listen': sample('127.0.0.1:1', '127.0.0.1:2', '[::1]:3', 'nowhere'),
  'server.publicUrl': sample('http://a.test', 'https://b.test', 'http://c.test:8080', 'ftp://a.test'),
  'server.roles': sample('["gateway"]', 'controller', 'gateway,worker', 'cook'),
  'auth.mode': sample('["token"]', 'password,jwt', 'jwks', 'guess'),
  'auth.jwks.algorithms': sample('["RS256"]', 'ES256', 'ES256,RS256', 'none'),
  'auth.jwks.rules': sample(
    '[{"claim":"a","value":"b","role":"viewer"}]',
    '[{"claim":"c","value":"d","role":"admin"}]',
    '[{"claim":"e","value":"f","role":"operator","namespace":"n"}]',
    '[{"claim":"e"}]',
  ),
  'auth.jwt.defaultGrants': sample(
    '[{"role":"viewer"}]',
    '[{"role":"admin","namespace":"n","readSecrets":true}]',
    '[{"role":"operator","namespace":"n","agent":"a"}]',
    '[{"namespace":"n"}]',
  ),
  'net.allow': sample('["10.1.0.0/16"]', 'fd00::/8,models.test', '192.168.1.4', '10.1.0.0/40'),
  'cors.origins': sample('["https://a.test"]', 'https://b.test,http://c.test', '*', 'not an origin'),
  'console.oidc.origins': sample('["https://a.test"]', 'https://b.test,http://c.test', 'https://d.test:1', 'nowhere'),
  'store.url': sample('postgres://a/svc', 'postgres://b/svc', 'postgresql://c/svc', 'mysql://a'),
  'bus.url': sample('nats://a', 'nats://b', 'tls://c', 'http://a'),
  'backup.schedule': sample('0 3 * * *', '@daily', '30 2 * * 1', 'at night'),
  'secrets.keys': sample(
    '[{"id":"a","key":"a key of the flags"}]',
    '[{"id":"b","key":"a key of the environment"}]',
    '[{"id":"c","key":"a key of the file"}]',
    '[{"id":"c","key":"short"}]',
  ),
  'worker.endpoints': sample(
    '[{"url":"http://a"}]',
    '[{"url":"http://b","protocol":"grpc"}]',
    '[{"url":"grpc://c"}]',
    '[{"protocol":"grpc"}]',
  ),
  'acp.harnesses': sample(
    '{"a":{"command":"x"}}',
    '{"b":{"command":"y"}}',
    '{"c":{"command":"z","args":["1"]}}',
    '{"c":{}}',
  ),
  'knowledge.embeddings': sample(
    '{"provider":"a","model":"b"}',
    '{"provider":"c","model":"d"}',
    '{"provider":"e","model":"f"}',
    '{"provider":"e"}',
  ),
  'research.search': sample(
    '{"type":"searxng","url":"https://a.test"}',
    '{"type":"brave","apiKey":"k1"}',
    '{"type":"tavily","apiKey":"k2"}',
    '{"type":"oracle"}',
  ),
  'sandbox.providers': sample('{"a":{}}', '{"b":{"c":1}}', '{"d":[true]}', '7'),
  capabilities: sample('{"a":{"b":false}}', '{"c":{"d":false}}', '{"e":{"f":true}}', '{"e":{"f":"maybe"}}'),
  'models.default': sample('demo/a', 'demo/b', 'demo/c/d', 'demo'),
  'models.providers': sample(
    '{"a":{"type":"demo"}}',
    '{"b":{"type":"openai","apiKey":"k"}}',
    '{"c":{"type":"google","maxConcurrency":3}}',
    '{"c":{"type":"abacus"}}',
  ),
  'models.breaker': sample('{"failures":1}', '{"within":"2s"}', '{"open":3}', '{"failures":0}'),
  'models.catalog': sample(
    '{"a/b":{"window":1000}}',
    '{"c/d":{"tools":true}}',
    '{"e/f":{"efforts":["low"]}}',
    '{"ef":{}}',
  ),
  'models.prices': sample(
    '{"a/b":{"input":1,"output":2}}',
    '{"c/d":{"input":1.5,"output":2}}',
    '{"e/f":{"input":0,"output":0,"cachedInput":1}}',
    '{"e/f":{"input":1}}',
  ),
};

const byLabel: readonly (readonly [RegExp, (row: KeyRow<unknown>) => KeySample])[] = [
  [
    /^boolean/,
    (row) =>
      row.fallback === true ? sample('false', 'true', 'false', 'maybe') : sample('true', 'false', 'true', 'maybe'),
  ],
  [/^integer from 1 to 100$/, () => sample('11', '12', '13', '101')],
  [/^(integer|number)/, () => sample('1001', '1002', '1003', 'many')],
  [/^duration/, () => sample('2m', '3m', '4m', 'soon')],
  [/^size/, () => sample('11MiB', '12MiB', '13MiB', '1 potato')],
  [/^secret/, () => sample('9e8d7c6b5a49382716', 'b1c2d3e4f5a6978877', 'k3j4h5g6f7d8s9a0q1', '{"wrong":"form"}')],
  [/URL$/, () => sample('https://a.test', 'https://b.test/x', 'https://c.test:1', 'nowhere')],
  [/^list of/, () => sample('["aa"]', 'bb,cc', 'dd', '[1]')],
  [/^one of/, (row) => choices(row)],
  [/^(text|path|origin|address)/, () => sample('/aa', '/bb', '/cc', NO_TEXT)],
];

const choices = (row: KeyRow<unknown>): KeySample => {
  const [first = '', second = first, third = first] = row.kind.label.replace('one of ', '').split(', ');
  return sample(second, first, third, 'neither');
};

/** Small bounds of single keys that the common sample would break. */
const bounded: Readonly<Record<string, KeySample>> = {
  'runtime.maxAttempts': sample('2', '3', '4', '0'),
  'runtime.parallelTools': sample('2', '3', '4', '0'),
  'runtime.maxBatchCalls': sample('2', '3', '4', '0'),
  'limits.renderConcurrency': sample('2', '3', '4', '0'),
  'limits.jsonDepth': sample('50', '60', '70', '7'),
  'limits.messageElements': sample('2000', '3000', '4000', '999'),
  'limits.channelMaxHops': sample('2', '3', '5', '1001'),
  'limits.urlBytes': sample('2KiB', '3KiB', '4KiB', '1B'),
  'limits.headerBytes': sample('2KiB', '3KiB', '4KiB', '1B'),
  'store.poolSize': sample('2', '3', '4', '0'),
  'models.tries': sample('2', '4', '5', '0'),
  'models.streamRestart': sample('2', '3', '4', '21'),
  'idempotency.hours': sample('25', '26h', '27', '1m'),
  'files.ephemeralDays': sample('2', '3d', '4', '1h'),
  'runtime.sweep': sample('2s', '3s', '4s', '1ms'),
};

export const sampleOf = (key: string, row: KeyRow<unknown>): KeySample => {
  const known = special[key] ?? bounded[key] ?? byLabel.find(([label]) => label.test(row.kind.label))?.[1](row);
  if (known === undefined) throw new Error(`no sample for ${key} (${row.kind.label})`);
  return known;
};
