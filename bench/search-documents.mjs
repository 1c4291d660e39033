/**
 * Time of one search over many documents, as rows of a Markdown table for RESULTS.md: words, path and ranking, as knowledge search does
 * it, on the store itself and without a server around it.
 *
 *   node bench/search-documents.mjs [--documents 100000] [--searches 40] [--only sqlite|postgres]
 *
 * PostgreSQL: SVC_BENCH_POSTGRES names a database that is filled and left as it is, to be measured again; without it a server of its own is
 * started as the tests start one, in a temporary folder.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { seededRandom, silentLog, systemClock, systemRandom } from '../packages/server/src/base/index.ts';
import { chunkDocument } from '../packages/server/src/features/authoring/knowledge/document-chunks.ts';
import { KnowledgeLibrary } from '../packages/server/src/features/authoring/knowledge/knowledge-library.ts';
import { indexWords } from '../packages/server/src/features/authoring/knowledge/search-words.ts';
import { openPostgresStore } from '../packages/server/src/store/postgres/index.ts';
import { PostgresServer, postgresProgram } from '../packages/server/src/store/postgres/testing/postgres-server.ts';
import { openSqliteStore } from '../packages/server/src/store/sqlite/index.ts';

const { values: options } = parseArgs({
  options: {
    documents: { type: 'string', default: '100000' },
    searches: { type: 'string', default: '40' },
    only: { type: 'string', default: '' },
  },
});

const DOCUMENTS = Number(options.documents);
const SEARCHES = Number(options.searches);
/** Documents of one transaction, each of about 150 different words. */
const PER_WRITE = 25;
const WORDS = 20_000;
/** All documents but a tenth are in one namespace; a tenth are in ten small ones. */
const SMALL = 10;

const random = seededRandom(7);
const shape = new Float64Array(WORDS);
for (let rank = 0, sum = 0; rank < WORDS; rank++) {
  sum += 1 / (rank + 2);
  shape[rank] = sum;
}
/** Words as often as in a language: the n-th most frequent one 1/n of the time. */
const word = () => {
  const wanted = random.next() * shape[WORDS - 1];
  let low = 0;
  for (let high = WORDS - 1; low < high; ) {
    const middle = (low + high) >> 1;
    if (shape[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return nameOf(low);
};
const CONSONANTS = 'bdfgklmnprstvz';
const VOWELS = 'aeiou';
const nameOf = (rank) => {
  let rest = rank + 40;
  let name = '';
  while (rest > 0) {
    name += CONSONANTS[rest % CONSONANTS.length] + VOWELS[Math.floor(rest / CONSONANTS.length) % VOWELS.length];
    rest = Math.floor(rest / (CONSONANTS.length * VOWELS.length));
  }
  return name;
};
const sentence = (words) => Array.from({ length: words }, word).join(' ');
const namespaceOf = (index) => (index % 10 === 0 ? `small-${(index / 10) % SMALL}` : 'large');

const documentOf = (index) => {
  const path = `guides/${word()}/${word()}-${index}.md`;
  return {
    source: `uid-${index}`,
    kind: 'Knowledge',
    namespace: namespaceOf(index),
    name: `d-${index}`,
    path,
    pathWords: indexWords(path),
    updatedAt: index,
    chunks: chunkDocument(`# ${sentence(4)}\n\n${sentence(60)}.\n\n## ${sentence(3)}\n\n${sentence(80)}.`),
  };
};

const quantile = (values, share) => [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
const shown = (value) => (value >= 100 ? String(Math.round(value)) : value.toPrecision(2));

/** What people type: a word that few documents have, one that most have, several, a question, and the end of a path. */
const QUERIES = {
  'a rare word': () => nameOf(8_000 + Math.floor(random.next() * 8_000)),
  'a frequent word': () => nameOf(Math.floor(random.next() * 5)),
  'three words': () => sentence(3),
  'a question of ten words': () => sentence(10),
  'the end of a path': () => `${word()}-${Math.floor(random.next() * DOCUMENTS)}.md`,
};

const measure = async (engine, store) => {
  const library = new KnowledgeLibrary({ visibleNamespaces: async (_reads, namespace) => [namespace, 'above'] });
  for (const namespace of ['large', 'small-1'])
    for (const [name, make] of Object.entries(QUERIES)) {
      const times = [];
      const cpu = [];
      for (let index = 0; index < SEARCHES; index++) {
        const query = make();
        const began = performance.now();
        const spent = process.threadCpuUsage();
        await store.read((tx) => library.search(tx, namespace, { query, limit: 5 }));
        times.push(performance.now() - began);
        const { user, system } = process.threadCpuUsage(spent);
        cpu.push((user + system) / 1_000);
      }
      const cells = [
        engine,
        namespace,
        name,
        ...[times, cpu].flatMap((all) => [0.5, 0.99].map((share) => shown(quantile(all, share)))),
      ];
      console.log(`| ${cells.join(' | ')} |`);
    }
};

const fill = async (store) => {
  const began = performance.now();
  for (let from = 0; from < DOCUMENTS; from += PER_WRITE) {
    if (from > 0 && from % 10_000 === 0)
      console.error(`${from} documents after ${Math.round((performance.now() - began) / 1000)} s`);
    await store.write(async (tx) => {
      for (let index = from; index < Math.min(DOCUMENTS, from + PER_WRITE); index++)
        await tx.search.index(documentOf(index));
    });
  }
  console.error(`${DOCUMENTS} documents stored in ${Math.round((performance.now() - began) / 1000)} s`);
};

const given = {
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
  fatal: (error) => {
    throw error;
  },
};

const onSqlite = async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-search-'));
  const store = await openSqliteStore({ ...given, dataDir, durability: 'off' });
  try {
    await fill(store);
    await measure('SQLite', store);
  } finally {
    await store.close();
    rmSync(dataDir, { recursive: true });
  }
};

/** What autovacuum does of itself on a server that lives longer: statistics, and the pending entries of the index. */
const settle = async (url) => {
  const { Client } = createRequire(new URL('../packages/server/package.json', import.meta.url))('pg');
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('VACUUM ANALYZE');
  await client.end();
};

const onOwnPostgres = async () => {
  await using server = await PostgresServer.start();
  await onPostgres(server.url('postgres'));
};

const onPostgres = async (url) => {
  const store = await openPostgresStore({ ...given, url, poolSize: 4, pause: (ms) => setTimeout(ms) });
  try {
    const [held] = await store.direct.search.directory({ kind: 'Knowledge', namespaces: ['large'], limit: 1 });
    if (held === undefined) await fill(store);
    await settle(url);
    await measure('PostgreSQL', store);
  } finally {
    await store.close();
  }
};

console.log(
  '| engine | namespace | query | p50, ms | p99, ms | CPU of the process p50, ms | p99, ms |\n| --- | --- | --- | --- | --- | --- | --- |',
);
const { SVC_BENCH_POSTGRES: address } = process.env;
if (options.only !== 'postgres') await onSqlite();
if (options.only !== 'sqlite') {
  if (address !== undefined) await onPostgres(address);
  else if (postgresProgram() !== undefined) await onOwnPostgres();
}
