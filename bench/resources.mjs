/**
 * Figures of the resource plane against a server of this checkout, as rows of a Markdown table for RESULTS.md.
 *
 *   node bench/resources.mjs [--only apply|list|start] [--resources 100000] [--sessions 100000] [--profile DIRECTORY]
 *
 * The server runs on CPU 0 with SQLite and every write synced, this process on CPU 1. CPU is that of the server, read from
 * /proc. With `--profile` each server writes a CPU profile there.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { BenchServer, pinSelf } from './resource-server.mjs';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    resources: { type: 'string', default: '100000' },
    sessions: { type: 'string', default: '100000' },
    profile: { type: 'string', default: '' },
  },
});

const MANIFESTS = 1_000;
const CALLERS = 64;
const APPLY_PER_CALL = 500;
const NAMESPACES = 20;
const WATCHERS = 100;
const CHANGES = 500;
const STARTS = 5;

const flags = options.profile === '' ? [] : ['--cpu-prof', '--cpu-prof-dir', options.profile];
const isPinned = pinSelf();

const shown = (value) =>
  value >= 1000 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)));
/** One line of the table; `most` is the value it must stay below. */
const line = ({ scenario, figure, value, most }) => {
  const [target, verdict] = most === undefined ? ['-', ''] : [`under ${shown(most)}`, value < most ? 'met' : 'missed'];
  console.log(`| ${[scenario, figure, target, shown(value), verdict].join(' | ')} |`);
};
const row = (scenario, figure, value) => line({ scenario, figure, value });
const quantile = (values, share) => [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

/** Wall and CPU of a piece of work in milliseconds. */
const measured = async (server, work) => {
  const cpu = server.cpuSeconds();
  const began = performance.now();
  const result = await work();
  return { result, wallMs: performance.now() - began, cpuMs: (server.cpuSeconds() - cpu) * 1000 };
};

const parallel = async (count, callers, work) => {
  let next = 0;
  const caller = async () => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: callers }, caller));
};

const withServer = async (work) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-resources-'));
  const server = new BenchServer({ dataDir, isPinned, flags });
  try {
    await server.start();
    await work(server);
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
};

/** Kinds in turn, as a team's repository might hold them. */
const forms = [
  (name) => ({ kind: 'Agent', spec: { systemPrompt: `You are ${name}. ${'Be brief and kind. '.repeat(10)}` } }),
  (name) => ({ kind: 'Skill', spec: { description: `Skill ${name}`, instructions: 'Do it well. '.repeat(20) } }),
  (name) => ({ kind: 'Knowledge', spec: { path: `docs/${name}.md`, content: 'Facts about the product. '.repeat(20) } }),
  () => ({ kind: 'Channel', spec: { title: 'A room' } }),
];
const document = (index, ns, mark = '') => {
  const name = `r-${index}`;
  const { kind, spec } = forms[index % forms.length](name);
  return {
    apiVersion: 'svc/v1',
    kind,
    metadata: { name, namespace: ns, labels: { tier: index % 100 === 0 ? 'gold' : 'tin', mark } },
    spec,
  };
};
const textOf = (documents) => documents.map((value) => JSON.stringify(value)).join('\n---\n');

const applyManifests = () =>
  withServer(async (server) => {
    const documents = Array.from({ length: MANIFESTS }, (_, index) => document(index, 'default'));
    const calls = [0, APPLY_PER_CALL].map((from) => textOf(documents.slice(from, from + APPLY_PER_CALL)));
    const whole = async (mark) => {
      for (const text of calls)
        await server.http.ok('POST', '/v1/manifests:apply', { text: text.replaceAll('"mark":""', `"mark":"${mark}"`) });
    };
    for (const [name, mark] of [
      ['created', 'a'],
      ['unchanged', 'a'],
      ['changed', 'b'],
    ]) {
      const { wallMs, cpuMs } = await measured(server, () => whole(mark));
      row(`apply 1,000 manifests, ${name}, two transactions`, 'ms', wallMs);
      row(`apply 1,000 manifests, ${name}, two transactions`, 'CPU a manifest, ms', cpuMs / MANIFESTS);
    }
    const single = await measured(server, () =>
      server.http.ok('POST', '/v1/manifests:apply', {
        atomic: false,
        text: textOf(documents).replaceAll('"mark":""', '"mark":"c"'),
      }),
    );
    row('apply 1,000 manifests, changed, one by one in one call', 'ms', single.wallMs);
    const { wallMs, cpuMs } = await measured(server, () =>
      parallel(MANIFESTS, CALLERS, (index) => {
        const { kind, metadata, spec } = document(index, 'default', 'd');
        const member = kind.charAt(0).toLowerCase() + kind.slice(1);
        const manifest = { kind, metadata, spec: { [member]: spec } };
        return server.http.ok('PUT', `/v1/ns/default/resources/${kind}/${metadata.name}`, { manifest });
      }),
    );
    row(`ApplyResource of 1,000 resources, ${CALLERS} callers`, 'calls/s', (MANIFESTS / wallMs) * 1000);
    row(`ApplyResource of 1,000 resources, ${CALLERS} callers`, 'CPU a call, ms', cpuMs / MANIFESTS);
  });

const fill = async (server, count) => {
  const namespaces = Array.from({ length: NAMESPACES }, (_, index) => `team-${index}`);
  for (const name of namespaces) await server.http.ok('POST', `/v1/namespaces/${name}`, {});
  await parallel(Math.ceil(count / APPLY_PER_CALL), 2, (call) => {
    const from = call * APPLY_PER_CALL;
    const size = Math.min(APPLY_PER_CALL, count - from);
    const documents = Array.from({ length: size }, (_, index) => document(from + index, namespaces[call % NAMESPACES]));
    return server.http.ok('POST', '/v1/manifests:apply', { text: textOf(documents) });
  });
};

/** Every page of a list; how many resources, and the time of each page. */
const listAll = async (server, query) => {
  const times = [];
  let count = 0;
  for (let token = ''; ; ) {
    const began = performance.now();
    const page = await server.http.ok('GET', `/v1/ns/-/resources?${query}&pageToken=${encodeURIComponent(token)}`);
    times.push(performance.now() - began);
    count += page.resources.length;
    token = page.nextPageToken;
    if (token === '') return { count, times };
  }
};

/** Lines of a watch until one fits. */
const watchUntil = async (server, query, fits) => {
  let lines = 0;
  const { bytes } = await server.http.send('GET', `/v1/ns/-/resources:watch?${query}`, {
    onLine: (text) => {
      lines += 1;
      return fits(text);
    },
  });
  return { lines, bytes };
};

const liveWatchers = async (server) => {
  const sentAt = new Map();
  const delays = [];
  const standing = Array.from({ length: WATCHERS }, () => Promise.withResolvers());
  const watches = standing.map(({ resolve }) => {
    let left = CHANGES;
    return watchUntil(server, 'kinds=Task', (text) => {
      const event = JSON.parse(text);
      if (event.changeType.endsWith('BOOKMARK')) resolve();
      else {
        delays.push(performance.now() - sentAt.get(event.name));
        left -= 1;
      }
      return left === 0;
    });
  });
  await Promise.all(standing.map(({ promise }) => promise));
  const { wallMs, cpuMs } = await measured(server, async () => {
    await parallel(CHANGES, 4, (index) => {
      const name = `live-${index}`;
      sentAt.set(name, performance.now());
      const manifest = { kind: 'Task', metadata: { name }, spec: { task: { title: 'x' } } };
      return server.http.ok('PUT', `/v1/ns/team-0/resources/Task/${name}`, { manifest });
    });
    await Promise.all(watches);
  });
  const scenario = `${CHANGES} changes to ${WATCHERS} watchers of one kind`;
  row(scenario, 'deliveries/s', (WATCHERS * CHANGES * 1000) / wallMs);
  row(scenario, 'CPU a delivery, µs', (cpuMs * 1000) / (WATCHERS * CHANGES));
  row(scenario, 'delay p50, ms', quantile(delays, 0.5));
  row(scenario, 'delay p99, ms', quantile(delays, 0.99));
};

const listAndWatch = () =>
  withServer(async (server) => {
    const count = Number(options.resources);
    const among = `${count.toLocaleString('en-US')} resources`;
    const filled = await measured(server, () => fill(server, count));
    row(`${among}, filled by ApplyManifests of 500`, 'resources/s', (count / filled.wallMs) * 1000);
    row(`${among}, filled by ApplyManifests of 500`, 'CPU a resource, ms', filled.cpuMs / count);
    for (const [name, query] of [
      ['every page of 200', 'pageSize=200'],
      ['every page of 1,000, metadata only', 'pageSize=1000&metadataOnly=true'],
      ['agents, every page of 200', 'kind=Agent&pageSize=200'],
      ['one in a hundred by label', 'labelSelector=tier%3Dgold&pageSize=200'],
    ]) {
      const { result, wallMs, cpuMs } = await measured(server, () => listAll(server, query));
      row(`list ${among}: ${name}`, 'resources/s', (result.count / wallMs) * 1000);
      row(`list ${among}: ${name}`, 'CPU a page, ms', cpuMs / result.times.length);
      row(`list ${among}: ${name}`, 'page p50, ms', quantile(result.times, 0.5));
      row(`list ${among}: ${name}`, 'page p99, ms', quantile(result.times, 0.99));
    }
    const isBookmark = (text) => text.includes('CHANGE_TYPE_BOOKMARK');
    const all = await measured(server, () => watchUntil(server, '', isBookmark));
    row(`watch ${among} from the beginning`, 's', all.wallMs / 1000);
    row(`watch ${among} from the beginning`, 'CPU a resource, µs', (all.cpuMs * 1000) / all.result.lines);
    row(`watch ${among} from the beginning`, 'MiB sent', all.result.bytes / 2 ** 20);
    await liveWatchers(server);
    row(among, 'memory of the server, MiB', server.memoryMiB());
    await server.stop();
    row(`start with ${among}`, 'first answer, ms', await server.start());
    await server.stop();
    row(`start with ${among}`, 'first page of agents, ms', await server.start('/v1/ns/team-0/agents'));
  });

const startWithSessions = () =>
  withServer(async (server) => {
    const count = Number(options.sessions);
    const among = `${count.toLocaleString('en-US')} sessions`;
    await server.http.ok('POST', '/v1/ns/default/agents', { name: 'keeper' });
    let last = '';
    const { wallMs } = await measured(server, () =>
      parallel(count, CALLERS, async () => {
        last = (await server.http.ok('POST', '/v1/ns/default/agents/keeper/sessions', {})).sessionId;
      }),
    );
    row(among, 'created by CreateSession, sessions/s', (count / wallMs) * 1000);
    for (const [name, path] of [
      ['first answer (health), ms', '/healthz'],
      ['first answer of GetSession, ms', `/v1/ns/default/agents/keeper/sessions/${last}`],
      ['first answer of ListSessions, ms', '/v1/ns/default/agents/keeper/sessions'],
    ]) {
      const times = [];
      for (let run = 0; run < STARTS; run += 1) {
        await server.stop();
        times.push(await server.start(path));
      }
      line({ scenario: `start with ${among} on disk`, figure: name, value: quantile(times, 0.5), most: 1_000 });
    }
    row(`start with ${among} on disk`, 'memory, MiB', server.memoryMiB());
  });

const all = { apply: applyManifests, list: listAndWatch, start: startWithSessions };
console.log(`${cpus()[0]?.model ?? 'unknown CPU'}, Node.js ${process.version}\n`);
console.log('| scenario | figure | target | svc | |\n|---|---|---|---|---|');
for (const [name, scenario] of Object.entries(all)) if (name.includes(options.only)) await scenario();
