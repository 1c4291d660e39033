import { expect, it } from 'vitest';
import { ManualClock, silentLog } from '../../../../base/index.ts';
import {
  type McpConnection,
  McpFailure,
  type McpSkill,
  type McpSkillFile,
} from '../../../../protocols/mcp/contract.ts';
import type { ToolTurn } from '../../../../tools/contract.ts';
import { type ServerSkillsDeps, serverSkills } from './server-skills.ts';

const skill = (name: string): McpSkill => ({
  uri: `skill://${name}/SKILL.md`,
  name,
  description: `Does ${name}.`,
  digest: '1',
  files: ['forms.md', 'broken.md'].map((path) => ({ path, uri: `skill://${name}/${path}`, sizeBytes: 3 })),
  entry: {},
});

/** What each server is to the person: its skills, or why there are none. */
const SERVERS: Readonly<Record<string, 'disabled' | 'not signed in' | readonly McpSkill[]>> = {
  desk: [skill('refunds')],
  shop: [skill('refunds'), skill('taxes')],
  off: 'disabled',
  personal: 'not signed in',
};

const deps = {
  lookup: {
    find: async (_namespace: string, server: string) => {
      const found = SERVERS[server];
      if (found === 'not signed in') return { signIn: { grant: undefined } };
      return typeof found === 'object' ? { skills: found } : found;
    },
  },
  pool: {
    slot: ({ skills }: { readonly skills: readonly McpSkill[] }) => ({
      use: (_signal: AbortSignal, work: (connection: McpConnection) => unknown) =>
        work({
          skills: async () => ({ skills, refused: 0 }),
          skillText: async ({ name }: McpSkill) => `The text of ${name}.`,
          skillFile: async ({ name }: McpSkill, { path }: McpSkillFile) => {
            if (path === 'broken.md') throw new McpFailure('malformed', 'another digest');
            return Buffer.from(`${path} of ${name}`);
          },
          onSkillsChanged: () => undefined,
        } as unknown as McpConnection),
    }),
  },
  clock: new ManualClock(),
  log: silentLog,
} as unknown as ServerSkillsDeps;

const turn = (...mcpServers: string[]): ToolTurn =>
  ({
    grants: { namespace: 'acme', agent: 'clerk', mcpServers },
    sessionId: 's',
    identity: 'anna',
  }) as unknown as ToolTurn;

it('are those of the servers that the agent refers to and the person may use', async () => {
  const skills = serverSkills(deps);
  const all = turn('desk', 'shop', 'off', 'personal', 'gone');
  expect((await skills.list(all)).map(({ name }) => name)).toEqual(['desk/refunds', 'shop/refunds', 'shop/taxes']);
  expect(await skills.text(all, 'shop/taxes')).toContain('(Written by MCP server shop.');
  for (const name of ['off/refunds', 'personal/refunds', 'gone/refunds', 'desk/taxes', 'desk'])
    expect(await skills.text(all, name)).toBeUndefined();
  expect(await skills.text(turn('desk'), 'shop/taxes')).toBeUndefined();
  expect(await skills.list(turn())).toEqual([]);
});

it('have files that are read for those who have the skill', async () => {
  const skills = serverSkills(deps);
  expect((await skills.files(turn('desk'), 'desk/refunds')).map(({ path }) => path)).toEqual(['forms.md', 'broken.md']);
  const read = async (server: string, name: string, path: string) => {
    const bytes = await skills.file(turn(server), name, path);
    return bytes === undefined ? undefined : Buffer.from(bytes).toString();
  };
  expect(await read('desk', 'desk/refunds', 'forms.md')).toBe('forms.md of refunds');
  expect(await read('desk', 'desk/refunds', 'other.md')).toBeUndefined();
  expect(await read('desk', 'desk/refunds', 'broken.md')).toBeUndefined();
  expect(await read('desk', 'shop/refunds', 'forms.md')).toBeUndefined();
  expect(await skills.files(turn('desk'), 'shop/refunds')).toEqual([]);
  expect(await read('personal', 'personal/refunds', 'forms.md')).toBeUndefined();
});
