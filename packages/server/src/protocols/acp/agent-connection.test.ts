import process from 'node:process';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { Fault } from '../../base/index.ts';
import { connectAgent } from './agent-connection.ts';
import type { AgentConnection, AgentRequests, AgentUpdate } from './contract.ts';
import { agentHome, agentProcess } from './testing/agent-process.ts';

const home = agentHome();
const open: (() => void)[] = [];

afterEach(() => {
  for (const close of open.splice(0)) close();
});
afterAll(() => home.close());

const SETUP = { cwd: home.path, servers: [] };

/** Remembers what an agent did; each member may be replaced. */
const recorder = (change: Partial<AgentRequests> = {}) => {
  const updates: AgentUpdate[] = [];
  const files = new Map<string, string>();
  const requests: AgentRequests = {
    update: async (update) => void updates.push(update),
    permission: async ({ choices }) => choices.find(({ kind }) => kind === 'allow_once')?.id,
    readFile: async ({ path }) => {
      const found = files.get(path);
      if (found === undefined) throw new Fault('NOT_FOUND', 'SANDBOX_FILE_NOT_FOUND', `the sandbox has no ${path}`);
      return found;
    },
    writeFile: async (path, content) => void files.set(path, content),
    createTerminal: async ({ args }) => args.at(-1) ?? '',
    terminalOutput: (id) => ({ output: `ran ${id}`, isCut: false, exit: { exitCode: 0 } }),
    terminalExit: async () => ({ exitCode: 0 }),
    killTerminal: () => undefined,
    releaseTerminal: () => undefined,
    ...change,
  };
  const text = (): string => updates.map((update) => (update.kind === 'text' ? update.text : '')).join('');
  return { updates, files, requests, text };
};

const connect = async (
  requests: AgentRequests,
  env: Readonly<Record<string, string>> = {},
): Promise<AgentConnection & { readonly ended: Promise<void> }> => {
  const { child, pipe, ended } = agentProcess([process.execPath, home.program], { HOME: home.path, ...env });
  open.push(() => child.kill('SIGKILL'));
  return Object.assign(await connectAgent(pipe, requests), { ended });
};

/** A program in the place of an agent. */
const connectProgram = (program: string) => {
  const { child, pipe } = agentProcess([process.execPath, '-e', program]);
  open.push(() => child.kill('SIGKILL'));
  return connectAgent(pipe, recorder({ permission: () => new Promise(() => undefined) }).requests);
};

describe('an agent', () => {
  it('answers with text, reasoning and usage, all of it before its end', async () => {
    const { requests, updates, text } = recorder();
    const agent = await connect(requests);
    const id = await agent.create(SETUP);
    const end = await agent.prompt(id, '!think first\nhello there');
    expect(end).toEqual({ reason: 'end_turn', usage: expect.objectContaining({ inputTokens: 4, outputTokens: 4 }) });
    expect(text()).toBe('You said: hello there');
    expect(updates[0]).toEqual({ kind: 'reasoning', text: 'first' });
  });

  it('uses files, terminals and questions of its client', async () => {
    const { requests, updates, files, text } = recorder();
    const agent = await connect(requests);
    const id = await agent.create(SETUP);
    await agent.prompt(id, '!write /a.txt some text\n!read /a.txt\n!read /none\n!run make');
    expect(files.get('/a.txt')).toBe('some text');
    expect(text().split('\n')).toEqual([
      'write_file -> written',
      'read_file -> some text',
      'read_file -> the sandbox has no /none',
      'run_command -> ran make (exit 0)',
      '',
    ]);
    const ends = updates.filter((update) => update.kind === 'tool' && update.status !== 'in_progress');
    expect(ends.map((update) => update.kind === 'tool' && update.status)).toEqual([
      'completed',
      'completed',
      'failed',
      'completed',
    ]);
  });

  it('is told that no choice was made', async () => {
    const { requests, text } = recorder({ permission: async () => undefined });
    const agent = await connect(requests);
    await agent.prompt(await agent.create(SETUP), '!ask execute deploy');
    expect(text()).toBe('deploy -> cancelled\n');
  });

  it('continues a stored session, whose history is no part of the next prompt, and says which it does not know', async () => {
    const first = await connect(recorder().requests);
    const id = await first.create(SETUP);
    await first.prompt(id, 'one');
    first.close();
    const { requests, text } = recorder();
    const second = await connect(requests);
    expect([second.canLoad, await second.load('unknown', SETUP), await second.load(id, SETUP)]).toEqual([
      true,
      false,
      true,
    ]);
    await second.prompt(id, '!recall');
    expect(text()).toBe('remembers: one\n');
  });

  it('ends a prompt that is cancelled', async () => {
    const agent = await connect(recorder().requests);
    const id = await agent.create(SETUP);
    const prompt = agent.prompt(id, '!hold');
    await agent.cancel(id);
    expect((await prompt).reason).toBe('cancelled');
  });

  it('offers ways to sign in, and refuses others', async () => {
    const agent = await connect(recorder().requests, { DEMO_AGENT_SIGN_IN: 'key' });
    expect(agent.signIns).toEqual(['key']);
    await expect(agent.signIn('other')).rejects.toMatchObject({ kind: 'refused' });
    await agent.signIn('key');
  });

  it('that dies fails its prompt', async () => {
    const agent = await connect(recorder().requests);
    const id = await agent.create(SETUP);
    await expect(agent.prompt(id, '!exit 3')).rejects.toMatchObject({ kind: 'gone' });
  });

  it('gets what its client failed with', async () => {
    const broken = recorder({ update: () => Promise.reject(new Error('the store is away')) });
    const agent = await connect(broken.requests);
    await expect(agent.prompt(await agent.create(SETUP), 'hi')).rejects.toThrow('the store is away');
  });

  it('is held up by a slow reader, and loses nothing', async () => {
    const { requests, text } = recorder();
    const slow = { ...requests, update: (update: AgentUpdate) => nextTurn().then(() => requests.update(update)) };
    const agent = await connect(slow);
    await agent.prompt(await agent.create(SETUP), '!flood 2000');
    expect(text()).toBe('x'.repeat(2_000));
  });
});

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a program that is no agent', () => {
  it.each([
    ['ends at once', 'process.exit(1)', { kind: 'gone' }],
    ['prints a broken message', 'console.log("{broken"); setInterval(() => 0, 1000)', { kind: 'protocol' }],
    [
      'prints an endless line',
      'process.stdout.write("x".repeat(5e6)); setInterval(() => 0, 1000)',
      { kind: 'protocol' },
    ],
    [
      'asks without end',
      'for (let id = 0; id < 70; id++) console.log(JSON.stringify({ jsonrpc: "2.0", id, method: "session/request_permission", params: { toolCall: { toolCallId: "a" } } })); setInterval(() => 0, 1000)',
      { kind: 'protocol' },
    ],
    [
      'speaks another version',
      'process.stdin.once("data", () => console.log(JSON.stringify({ jsonrpc: "2.0", id: 0, result: { protocolVersion: 9 } })))',
      { kind: 'protocol' },
    ],
  ])('%s, and costs its own connection only', async (_what, program, failure) => {
    await expect(connectProgram(program)).rejects.toMatchObject(failure);
  });
});
