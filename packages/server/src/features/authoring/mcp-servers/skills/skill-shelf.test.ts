import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../base/index.ts';
import { type McpConnection, McpFailure, type McpSkill } from '../../../../protocols/mcp/contract.ts';
import { SkillShelf } from './skill-shelf.ts';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const MINUTE = 60_000;

/** A server whose behaviour each test sets. */
class Server {
  skills: McpSkill[] = [];
  texts: Record<string, string> = {};
  lists = 0;
  reads = 0;
  cancelled = 0;
  changed: () => void = () => undefined;
  refused = 0;
  mode: 'works' | 'fails' | 'hangs' = 'works';

  readonly use = async <T>(signal: AbortSignal, work: (connection: McpConnection) => Promise<T>): Promise<T> => {
    const connection = {
      skills: async () => {
        this.lists++;
        await this.#behave(signal);
        return { skills: this.skills, refused: this.refused };
      },
      skillText: async ({ uri }: McpSkill) => {
        this.reads++;
        await this.#behave(signal);
        return this.texts[uri] ?? '';
      },
      onSkillsChanged: (listen: () => void) => {
        this.changed = listen;
      },
    };
    return work(connection as unknown as McpConnection);
  };

  put(name: string, digest: string, text: string): McpSkill {
    const uri = `skill://${name}/SKILL.md`;
    const skill = { uri, name, description: 'd', digest, files: [], entry: {} };
    this.skills = [...this.skills.filter((one) => one.name !== name), skill];
    this.texts[uri] = text;
    return skill;
  }

  async #behave(signal: AbortSignal): Promise<void> {
    if (this.mode === 'fails') throw new McpFailure('malformed', 'broken');
    if (this.mode === 'hangs')
      await new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          this.cancelled++;
          reject(signal.reason);
        }),
      );
  }
}

let server: Server;
let clock: ManualClock;
let shelf: SkillShelf;
const warnings: (readonly [string, object])[] = [];
const names = async () => (await shelf.list()).map(({ name }) => name);

beforeEach(() => {
  server = new Server();
  clock = new ManualClock();
  warnings.length = 0;
  const log = { warn: (message: string, facts: object = {}) => void warnings.push([message, facts]) };
  const names = () => ({ namespace: 'acme', server: 'desk' });
  shelf = new SkillShelf({ slot: server, clock, log, names });
});

describe('the list of skills', () => {
  it('is used for 5 minutes, and asked for again when the server says that it changed', async () => {
    server.put('a', '1', 'A');
    expect([await names(), await names(), server.lists]).toEqual([['a'], ['a'], 1]);
    server.put('b', '1', 'B');
    server.changed();
    expect([await names(), server.lists]).toEqual([['a', 'b'], 2]);
    server.skills = [];
    clock.advance(5 * MINUTE);
    expect([await names(), server.lists]).toEqual([[], 3]);
  });

  it('of a server that hangs costs 5 s once in 30 s; the former list is used for 15 minutes', async () => {
    server.put('a', '1', 'A');
    await names();
    server.mode = 'hangs';
    clock.advance(6 * MINUTE);
    const waiting = names();
    await settle();
    clock.advance(5_000);
    expect(await waiting).toEqual(['a']);
    await settle();
    expect([await names(), server.lists, server.cancelled]).toEqual([['a'], 2, 1]);
    server.mode = 'fails';
    clock.advance(10 * MINUTE);
    expect([await names(), await names(), server.lists]).toEqual([[], [], 3]);
    server.mode = 'works';
    clock.advance(31_000);
    expect(await names()).toEqual(['a']);
  });
});

describe('the text of a skill', () => {
  it('is read once for each digest', async () => {
    const first = server.put('a', '1', 'A');
    expect([await shelf.text(first), await shelf.text(first), server.reads]).toEqual(['A', 'A', 1]);
    const second = server.put('a', '2', 'B');
    expect([await shelf.text(second), server.reads]).toEqual(['B', 2]);
  });

  it('without a digest is read again after 5 minutes', async () => {
    const skill = server.put('a', '', 'A');
    await shelf.text(skill);
    server.put('a', '', 'B');
    expect(await shelf.text(skill)).toBe('A');
    clock.advance(5 * MINUTE);
    expect(await shelf.text(skill)).toBe('B');
  });

  it('that cannot be had is none, is not asked for again at once, and has the list read again', async () => {
    const skill = server.put('a', '1', 'A');
    await names();
    server.mode = 'fails';
    expect([await shelf.text(skill), await shelf.text(skill), server.reads]).toEqual([undefined, undefined, 1]);
    server.mode = 'works';
    await names();
    expect(server.lists).toBe(2);
    clock.advance(30_000);
    expect(await shelf.text(skill)).toBe('A');
  });

  it('is the former one for 15 minutes where the next cannot be had', async () => {
    const skill = server.put('a', '1', 'A');
    await shelf.text(skill);
    server.mode = 'fails';
    const next = { ...skill, digest: '2' };
    expect(await shelf.text(next)).toBe('A');
    clock.advance(15 * MINUTE);
    expect(await shelf.text(next)).toBeUndefined();
  });

  it('of the 50 skills that were read last is kept', async () => {
    const skills = Array.from({ length: 51 }, (_, index) => server.put(`s${index}`, '1', String(index)));
    for (const skill of skills) await shelf.text(skill);
    expect(server.reads).toBe(51);
    for (const skill of skills.slice(1)) await shelf.text(skill);
    expect(server.reads).toBe(51);
    await shelf.text(skills[0] as McpSkill);
    expect(server.reads).toBe(52);
  });
});

it('says in the log why skills are missing, and once how many entries break the rules', async () => {
  const skill = server.put('a', '1', 'A');
  const desk = { namespace: 'acme', server: 'desk' };
  server.refused = 2;
  await names();
  server.changed();
  await names();
  expect(warnings).toEqual([
    ['skills of an MCP server are left out: their entries break the rules', { ...desk, count: 2 }],
  ]);
  server.mode = 'fails';
  await shelf.text(skill);
  await names();
  expect(warnings.slice(1)).toEqual([
    ['a skill of an MCP server could not be read', { ...desk, skill: 'a', reason: 'broken' }],
    ['the skills of an MCP server could not be listed', { ...desk, reason: 'broken' }],
  ]);
});
