import { create } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { ResourceManifestSchema } from '@svc/api/resources';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Random, seededRandom } from '../../base/index.ts';
import { isSampled } from '../../store/testing/sampled.ts';
import { AppUnderTest } from '../testing/index.ts';
import { type ResourceClient, resourceClients } from './resource-clients.ts';
import { type ChangeLine, WatchReader } from './watch-reader.ts';

const WRITERS = 64;
/** By each writer: half as many conflicts, and cuts, where PostgreSQL takes its time for each. */
const WRITES = isSampled() ? 1 : 2;
const CUTS = isSampled() ? 250 : 1_000;
/** Hundreds of calls one after the other: a loaded machine takes its time. */
const LONG_MS = 240_000;
/** Changes that are written while the reader is away, the first time more than are read at once, and those while it reads. */
const BACKLOGS = isSampled() ? [600] : [600, ...Array.from({ length: 6 }, () => 100)];
const LIVE = 100;
/** So many changes, not counting deletions of what is not there, are seen at least. */
const SEEN = isSampled() ? 600 : 1_200;

/** Retries a conditional write from a fresh read until it goes through; the version it made. */
const addOne = async (client: ResourceClient, address: { ns: string; kind: string; name: string }): Promise<string> => {
  for (;;) {
    const { resource } = await client.getResource(address);
    const { metadata, spec } = resource ?? {};
    if (metadata === undefined || spec?.kind.case !== 'agent') throw new Error('the agent is gone');
    const systemPrompt = String(Number(spec.kind.value.systemPrompt) + 1);
    const manifest = create(ResourceManifestSchema, {
      kind: address.kind,
      metadata: { name: address.name, resourceVersion: metadata.resourceVersion },
      spec: { kind: { case: 'agent', value: { ...spec.kind.value, systemPrompt } } },
    });
    try {
      const written = await client.applyResource({ ...address, manifest });
      return written.resource?.metadata?.resourceVersion ?? '';
    } catch (error) {
      // REST answers with a text; both say that somebody was faster.
      const isConflict = error instanceof ConnectError ? error.code === Code.Aborted : /"CONFLICT"/.test(String(error));
      if (!isConflict) throw error;
    }
  }
};

const promptOf = ({ resource }: ChangeLine): string => resource?.spec?.agent?.systemPrompt ?? '';

/** One random change of one of a few resources. */
const changeOne = async (app: AppUnderTest, random: Random, number: number): Promise<void> => {
  const name = `r-${Math.floor(random.next() * 8)}`;
  const kind = random.next() < 0.5 ? 'Skill' : 'Channel';
  const path = `/v1/ns/default/resources/${kind}/${name}`;
  if (random.next() < 0.2) {
    await app.rest.call(`DELETE ${path}`);
    return;
  }
  const spec = kind === 'Skill' ? { skill: { description: `${number}` } } : { channel: { title: `${number}` } };
  await app.rest.ok(`PUT ${path}`, { manifest: { kind, metadata: { name }, spec } });
};

const told = (lines: readonly ChangeLine[]): readonly string[] =>
  lines.map(({ resourceVersion, changeType, name }) => `${resourceVersion} ${changeType} ${name}`);

/** A reader whose connection is cut again and again, and who continues after the last change it saw. */
class CutReader {
  readonly seen: ChangeLine[] = [];
  cuts = 0;
  readonly #app: AppUnderTest;
  readonly #kinds: readonly string[];
  readonly #start: string;

  constructor(app: AppUnderTest, kinds: readonly string[], start: string) {
    this.#app = app;
    this.#kinds = kinds;
    this.#start = start;
  }

  /** Version of the last change it saw. */
  get at(): number {
    return Number(this.seen.at(-1)?.resourceVersion ?? this.#start);
  }

  /** Reads so many changes, none behind `end`, and is cut. */
  async read(many: number, end: number, meanwhile = async (): Promise<void> => undefined): Promise<void> {
    const place = { kinds: this.#kinds, resourceVersion: String(this.at) };
    const watch = await WatchReader.open(this.#app.url, place);
    await meanwhile();
    for (let count = 0; count < many && this.at < end; count++) this.seen.push(...(await watch.until(() => true)));
    watch.close();
    this.cuts += 1;
  }

  /** Reads all up to `end`, two changes at a time at most. Each time it is sent most of the rest in vain: little is quick. */
  async catchUp(random: Random, end: number): Promise<void> {
    while (this.at < end) await this.read(Math.floor(random.next() * 3), end);
  }
}

/** Conditional writes lose nothing, and watchers see each change once, however often they are cut. */
export const describeWriters = (): void => {
  describe('one resource with many writers', () => {
    const app = AppUnderTest.ofSuite();

    it(
      'loses no update of 64 writers over HTTP, and shows a watcher every version once',
      async () => {
        const address = { ns: 'default', kind: 'Agent', name: 'shared' };
        await app.rest.ok('POST /v1/ns/default/agents', { name: 'shared', spec: { systemPrompt: '0' } });
        const watch = await WatchReader.open(app.url, { kinds: 'Agent' });
        await watch.until(({ changeType }) => changeType.endsWith('BOOKMARK'));
        const clients = Object.values(resourceClients(app.url));
        const written = await Promise.all(
          Array.from({ length: WRITERS }, async (_, index) => {
            const versions: string[] = [];
            for (let write = 0; write < WRITES; write++)
              versions.push(await addOne(clients[index % clients.length] as ResourceClient, address));
            return versions;
          }),
        );
        const total = WRITERS * WRITES;
        const versions = written.flat();
        expect(new Set(versions).size).toBe(total);
        await watch.until((line) => promptOf(line) === String(total));
        watch.close();
        const seen = watch.lines.filter(({ changeType }) => changeType.endsWith('UPDATED'));
        const seenVersions = seen.map(({ resourceVersion }) => Number(resourceVersion));
        expect(seenVersions).toEqual([...new Set(seenVersions)].sort((left, right) => left - right));
        expect(versions.filter((version) => !seenVersions.includes(Number(version)))).toEqual([]);
        const specs = seen.filter(({ changedSections }) => changedSections.includes('spec')).map(promptOf);
        expect(specs).toEqual(Array.from({ length: total }, (_, index) => String(index + 1)));
        const { agent } = await app.rest.ok<{ agent: { metadata: object } }>('GET /v1/ns/default/agents/shared');
        expect(agent).toMatchObject({
          metadata: { generation: String(total + 1) },
          spec: { systemPrompt: `${total}` },
        });
      },
      LONG_MS,
    );
  });

  describe('a watcher that is cut', () => {
    const app = AppUnderTest.ofSuite();
    const random = seededRandom(3);
    let start: string;

    beforeAll(async () => {
      start = (await app.rest.ok<{ resourceVersion: string }>('GET /v1/ns/default/resources')).resourceVersion;
    });

    /** The version of a change that is made now, after which the reader is to see nothing. */
    const mark = async (): Promise<number> => {
      const spec = { skill: { description: `${random.next()}` } };
      const manifest = { kind: 'Skill', metadata: { name: 'mark' }, spec };
      const path = '/v1/ns/default/resources/Skill/mark';
      const { resource } = await app.rest.ok<{ resource: { metadata: { resourceVersion: string } } }>(`PUT ${path}`, {
        manifest,
      });
      return Number(resource.metadata.resourceVersion);
    };

    it(
      'a thousand times at random (on PostgreSQL 250) sees each change exactly once',
      async () => {
        const kinds = ['Skill', 'Channel'];
        const whole = await WatchReader.open(app.url, { kinds, resourceVersion: start });
        const reader = new CutReader(app, kinds, start);
        let end = 0;
        let changes = 0;
        for (const backlog of BACKLOGS) {
          for (let number = 0; number < backlog; number++) await changeOne(app, random, changes++);
          end = await mark();
          await reader.catchUp(random, end);
        }
        for (let number = 0; number < LIVE || reader.cuts < CUTS; number++) {
          // From here on each change is made while the reader is there.
          await reader.read(random.next() < 0.5 ? 1 : 0, Number.POSITIVE_INFINITY, async () => {
            await changeOne(app, random, number);
            end = await mark();
          });
        }
        while (reader.at < end) await reader.read(1, end);
        await whole.until(({ resourceVersion }) => Number(resourceVersion) >= end);
        whole.close();
        expect(reader.cuts).toBeGreaterThanOrEqual(CUTS);
        expect(told(reader.seen)).toEqual(told(whole.lines));
        expect(reader.seen.length).toBeGreaterThan(SEEN);
      },
      LONG_MS,
    );

    it('resumes at a bookmark as at a change', async () => {
      const first = await WatchReader.open(app.url, { kinds: 'Skill' });
      const [mark] = await first.until(({ changeType }) => changeType.endsWith('BOOKMARK'));
      first.close();
      await changeOne(app, seededRandom(8), 1);
      await app.rest.ok('PUT /v1/ns/default/resources/Skill/next', {
        manifest: { kind: 'Skill', metadata: { name: 'next' }, spec: { skill: { description: 'next' } } },
      });
      const resumed = await WatchReader.open(app.url, { kinds: 'Skill', resourceVersion: mark?.resourceVersion ?? '' });
      await resumed.until(({ name }) => name === 'next');
      resumed.close();
      expect(
        resumed.lines.every(({ resourceVersion }) => Number(resourceVersion) > Number(mark?.resourceVersion)),
      ).toBe(true);
    });
  });
};
