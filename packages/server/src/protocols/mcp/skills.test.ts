import { afterEach, describe, expect, it } from 'vitest';
import { silentLog, systemClock } from '../../base/index.ts';
import { createMcpConnector } from './connector.ts';
import type { McpConnection, McpFailure } from './contract.ts';
import { openHttpServer, type TestEra } from './testing/http-server.ts';
import { rawSkillServer, skillMarkdown, skillServer } from './testing/skill-server.ts';
import { toolServer } from './testing/tools.ts';

const connector = createMcpConnector({ fetch: () => fetch, version: '0', clock: systemClock, log: silentLog });
const idle = new AbortController().signal;
const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const connect = async (factory: Parameters<typeof openHttpServer>[0], era: TestEra = 'both') => {
  const server = await openHttpServer(factory, { era });
  open.push(server);
  const target = { transport: 'http', url: server.url, headers: {}, isTrusted: false } as const;
  const connection = await connector.connect(target, { era: 'auto', signal: idle });
  open.push(connection);
  return connection;
};
const failure = (work: Promise<unknown>): Promise<McpFailure['kind'] | 'none'> =>
  work.then(
    () => 'none',
    (error: McpFailure) => error.kind,
  );
const namesOf = async (connection: McpConnection) => {
  const { skills, refused } = await connection.skills(idle);
  return [skills.map(({ name }) => name), refused];
};

describe('skills of a server', () => {
  it.each(['both', '2025'] as const)('are listed without their texts, and read one by one (%s)', async (era) => {
    const reads: string[] = [];
    const texts = { refunds: skillMarkdown('refunds', 'Be kind.'), 'eu/tax': skillMarkdown('eu/tax', 'Add it.') };
    const connection = await connect(skillServer(texts, { reads }), era);
    const { skills, refused } = await connection.skills(idle);
    expect(skills).toMatchObject([
      { name: 'refunds', description: 'How refunds is done.', uri: 'skill://refunds/SKILL.md' },
      { name: 'tax', description: 'How eu/tax is done.', uri: 'skill://eu/tax/SKILL.md' },
    ]);
    expect([refused, reads]).toEqual([0, []]);
    const [refunds] = skills;
    if (refunds !== undefined) expect(await connection.skillText(refunds, idle)).toBe('Be kind.\n');
    expect(reads).toEqual(['skill://refunds/SKILL.md']);
  });

  it.each(['both', '2025'] as const)('have further files, which are held against their entries (%s)', async (era) => {
    const picture = new Uint8Array([0x89, 0x50, 0x00, 0xff]);
    const files = {
      refunds: { 'references/FORMS.md': 'Form A.', 'logo.png': picture, 'big.txt': 'x'.repeat(1_048_577) },
    };
    const texts = { refunds: skillMarkdown('refunds', 'Be kind.'), plain: skillMarkdown('plain', 'Nothing else.') };
    const connection = await connect(skillServer(texts, { files }), era);
    const [refunds, plain] = (await connection.skills(idle)).skills;
    expect(plain?.files).toEqual([]);
    expect(refunds?.files).toEqual([
      { path: 'logo.png', uri: 'skill://refunds/logo.png', sizeBytes: 4 },
      { path: 'references/FORMS.md', uri: 'skill://refunds/references/FORMS.md', sizeBytes: 7 },
    ]);
    const read = async (index: number) => connection.skillFile(refunds!, refunds!.files[index]!, idle);
    expect(Buffer.from(await read(1)).toString()).toBe('Form A.');
    expect([...(await read(0))]).toEqual([0x89, 0x50, 0x00, 0xff]);
    const unlisted = { path: 'big.txt', uri: 'skill://refunds/none.txt', sizeBytes: 1 };
    expect(await failure(connection.skillFile(refunds!, unlisted, idle))).toBe('malformed');
    const liar = await connect(skillServer(texts, { files, read: (text) => text.replace('Form A', 'Form B') }), era);
    const [other] = (await liar.skills(idle)).skills;
    expect(await failure(liar.skillFile(other!, other!.files[1]!, idle))).toBe('malformed');
  });

  it('whose files have no plain path, are too large or too many show the others', async () => {
    const uri = 'skill://a/SKILL.md';
    const digest = `sha256:${'0'.repeat(64)}`;
    const file = (path: unknown, size: unknown = 1) => ({
      uri: typeof path === 'string' ? `skill://a/${path}` : path,
      digest,
      size,
    });
    const bad = [
      '../up.md',
      'b/../c',
      '',
      '/etc',
      'x//y',
      '.',
      '%2e%2e/up',
      'a%00b',
      'a%0Ab',
      '%zz',
      'a\\b',
      'x'.repeat(300),
    ];
    const resources = [
      file('SKILL.md'),
      ...bad.map((path) => file(path)),
      file(7),
      file('large', 1_048_577),
      file('none', 'many'),
      { uri: 'skill://b/other.md', digest, size: 1 },
      ...Array.from({ length: 120 }, (_, index) => file(`n${index}.md`)),
      file('my%20notes.md'),
    ];
    const entry = { uri, frontmatter: { name: 'a', description: 'd' }, resources };
    const connection = await connect(rawSkillServer(() => ({ skills: [entry] })));
    const [skill] = (await connection.skills(idle)).skills;
    expect(skill?.files.map(({ path }) => path)).toEqual(Array.from({ length: 100 }, (_, index) => `n${index}.md`));
    const few = { ...entry, resources: [file('SKILL.md'), file('my%20notes.md'), file('my notes.md')] };
    const other = await connect(rawSkillServer(() => ({ skills: [few] })));
    expect((await other.skills(idle)).skills[0]?.files).toEqual([
      { path: 'my notes.md', uri: 'skill://a/my%20notes.md', sizeBytes: 1 },
    ]);
  });

  it('are none where the server has no such thing', async () => {
    const connection = await connect(toolServer());
    expect(await connection.skills(idle)).toEqual({ skills: [], refused: 0 });
  });

  it('that differ from their entries are not read', async () => {
    const texts = { refunds: skillMarkdown('refunds', 'Be kind.') };
    const connection = await connect(skillServer(texts, { read: (text) => text.replace('kind', 'rude') }));
    const { skills } = await connection.skills(idle);
    for (const skill of skills) expect(await failure(connection.skillText(skill, idle))).toBe('malformed');
  });

  it('whose entries break the rules are left out, with every copy of an address and all after the first 50', async () => {
    const frontmatter = (name: unknown, description: unknown = 'd') => ({ name, description });
    const made = (name: string, change: object) => {
      const uri = `skill://${name}/SKILL.md`;
      const resources = [{ uri, digest: `sha256:${'0'.repeat(64)}`, size: 1 }];
      return { uri, frontmatter: frontmatter(name), resources, ...change };
    };
    const bad = [
      'text',
      null,
      {},
      made('a', { uri: `skill://${'x'.repeat(2_000)}/a/SKILL.md` }),
      made('b', { uri: 1 }),
      made('../up', {}),
      made('c', { frontmatter: frontmatter('other') }),
      made('d', { frontmatter: 'x' }),
      ...[
        made('e', { frontmatter: frontmatter('e', ' ') }),
        made('f', { frontmatter: frontmatter('f', '😀'.repeat(1_025)) }),
      ],
      made('g', { resources: [] }),
      made('h', { resources: 'other' }),
      made('i', { junk: 'x'.repeat(200_000) }),
      made('j', { resources: [{ uri: 'skill://j/SKILL.md', digest: 'x', size: 1_000_000 }] }),
      made('k', { frontmatter: frontmatter('k', 'x'.repeat(3_000)) }),
    ];
    const good = Array.from({ length: 60 }, (_, index) => made(`s${index}`, {}));
    const pages = [[...bad, good[0], ...good.slice(0, 30)], good.slice(30)];
    const connection = await connect(
      rawSkillServer((cursor) => (cursor === '' ? { skills: pages[0], nextCursor: '1' } : { skills: pages[1] })),
    );
    const [names, refused] = await namesOf(connection);
    expect(names).toEqual(good.slice(0, 50).map((entry) => entry.frontmatter.name));
    expect(refused).toBe(bad.length + 1);
    const [first] = (await connection.skills(idle)).skills;
    if (first !== undefined) expect(await failure(connection.skillText(first, idle))).not.toBe('none');
  });

  it('of a list without end, or of none, cost ten pages and the list', async () => {
    let pages = 0;
    const endless = await connect(rawSkillServer(() => ({ skills: [], nextCursor: String(++pages) })));
    expect(await namesOf(endless)).toEqual([[], 0]);
    expect(pages).toBe(10);
    expect(await failure((await connect(rawSkillServer(() => ({})))).skills(idle))).toBe('malformed');
  });

  it('that the server makes for each reader are taken, without a digest', async () => {
    const texts = { daily: skillMarkdown('daily', 'Read the news.') };
    const listed = (entries: readonly object[]) => entries.map((entry) => ({ ...entry, resources: 'dynamic' }));
    const connection = await connect(skillServer(texts, { listed }));
    const { skills } = await connection.skills(idle);
    expect(skills.map(({ digest }) => digest)).toEqual(['']);
    for (const skill of skills) expect(await connection.skillText(skill, idle)).toBe('Read the news.\n');
    const long = { daily: skillMarkdown('daily', 'x'.repeat(100_000)) };
    const other = await connect(skillServer(long, { listed }));
    for (const skill of (await other.skills(idle)).skills)
      expect(await failure(other.skillText(skill, idle))).toBe('malformed');
  });
});
