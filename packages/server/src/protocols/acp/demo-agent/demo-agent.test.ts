import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import {
  type AnyMessage,
  client,
  type McpServer,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk/unstable';
import { afterAll, describe, expect, it } from 'vitest';
import { demoAgent } from './demo-agent.ts';

const home = mkdtempSync(join(tmpdir(), 'svc-demo-agent-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** What the client of a test answers; without a choice it cancels the question. */
interface Answers {
  readonly environment?: Readonly<Record<string, string>>;
  readonly choice?: string;
}

/** An agent and its client in one process, connected by streams in memory; `capabilities` is what the agent said of itself. */
const connected = async ({ environment = {}, choice }: Answers = {}) => {
  const updates: SessionUpdate[] = [];
  const questions: RequestPermissionRequest[] = [];
  const files = new Map<string, string>();
  const commands: unknown[] = [];
  const printed: string[] = [];
  const exits: number[] = [];
  const toAgent = new TransformStream<AnyMessage, AnyMessage>();
  const toClient = new TransformStream<AnyMessage, AnyMessage>();
  demoAgent({ environment, home, print: (text) => printed.push(text), exit: (code) => exits.push(code) }).connect({
    writable: toClient.writable,
    readable: toAgent.readable,
  });
  const { agent } = client({ name: 'test' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      questions.push(params);
      return { outcome: choice === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: choice } };
    })
    .onRequest(methods.client.fs.readTextFile, ({ params: { path } }) => {
      const content = files.get(path);
      if (content === undefined) throw new RequestError(-32_002, `no file ${path}`);
      return { content };
    })
    .onRequest(methods.client.fs.writeTextFile, ({ params: { path, content } }) => {
      files.set(path, content);
      return {};
    })
    .onRequest(methods.client.terminal.create, ({ params: { command, args } }) => {
      commands.push([command, args]);
      return { terminalId: 'terminal-1' };
    })
    .onRequest(methods.client.terminal.waitForExit, () => ({ exitCode: 2 }))
    .onRequest(methods.client.terminal.output, () => ({ output: 'two errors\n', truncated: false }))
    .onRequest(methods.client.terminal.release, ({ params: { terminalId } }) => {
      commands.push(['release', terminalId]);
      return {};
    })
    .connect({ writable: toAgent.writable, readable: toClient.readable });
  const capabilities = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
  });
  const begin = async (mcpServers: McpServer[] = []): Promise<string> => {
    const { sessionId } = await agent.request(methods.agent.session.new, { cwd: '/', mcpServers });
    return sessionId;
  };
  const prompt = (sessionId: string, text: string) =>
    agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] });
  const texts = (kind: SessionUpdate['sessionUpdate']): string[] =>
    updates.map((update) =>
      update.sessionUpdate === kind && 'content' in update && isText(update.content) ? update.content.text : '',
    );
  const said = (): string => texts('agent_message_chunk').join('');
  return { agent, capabilities, begin, prompt, said, texts, updates, questions, files, commands, printed, exits };
};

const isText = (content: unknown): content is { readonly text: string } =>
  typeof content === 'object' && content !== null && 'text' in content;

const OFF = { DEMO_AGENT_LOAD: 'off', DEMO_AGENT_SIGN_IN: 'key' };

describe('the demo agent', () => {
  it('offers to load sessions and asks for no key, unless its environment says otherwise', async () => {
    expect((await connected()).capabilities).toMatchObject({
      agentCapabilities: { loadSession: true },
      authMethods: [],
    });
    expect((await connected({ environment: OFF })).capabilities).toMatchObject({
      agentCapabilities: { loadSession: false },
      authMethods: [{ id: 'key', name: 'Key' }],
    });
  });

  it('accepts only the way to sign in that it was started with', async () => {
    const { agent } = await connected({ environment: { DEMO_AGENT_SIGN_IN: 'key' } });
    expect(await agent.request(methods.agent.authenticate, { methodId: 'key' })).toEqual({});
    await expect(agent.request(methods.agent.authenticate, { methodId: 'other' })).rejects.toMatchObject({
      code: -32_000,
    });
  });

  it('does the directives of a prompt in order, then answers its other lines, and counts the words', async () => {
    const { begin, prompt, said } = await connected({ environment: { COLOR: 'green' } });
    const end = await prompt(await begin(), 'one\n!say hello you\ntwo\n!env COLOR\n!env NONE\n!dance');
    expect(said()).toBe('hello you\nCOLOR=green\nNONE=\nthere is no directive dance\nYou said: one\ntwo');
    expect(end).toEqual({ stopReason: 'end_turn', usage: { inputTokens: 10, outputTokens: 13, totalTokens: 23 } });
  });

  it('thinks aloud word by word, which is no part of its answer', async () => {
    const { begin, prompt, texts, said } = await connected();
    const end = await prompt(await begin(), '!think so it is');
    expect(texts('agent_thought_chunk')).toEqual(['so ', 'it ', 'is']);
    expect([said(), end.usage]).toEqual(['', { inputTokens: 4, outputTokens: 3, totalTokens: 7 }]);
  });

  it('says nothing to a prompt without words, and reads past blocks that are not text', async () => {
    const { agent, begin, said } = await connected();
    const sessionId = await begin();
    const block = { type: 'resource_link' as const, uri: 'file:///a.txt', name: 'a' };
    await agent.request(methods.agent.session.prompt, { sessionId, prompt: [block] });
    expect(said()).toBe('');
    await agent.request(methods.agent.session.prompt, { sessionId, prompt: [block, { type: 'text', text: 'see' }] });
    expect(said()).toBe('You said: see');
  });

  it('prints lines between its messages and ends its process with the code that it is told', async () => {
    const { begin, prompt, printed, exits } = await connected();
    await prompt(await begin(), '!raw not a message\n!exit 3');
    expect([printed, exits]).toEqual([['not a message\n'], [3]]);
  });

  it('sends as many updates as it is told', async () => {
    const { begin, prompt, texts } = await connected();
    await prompt(await begin(), '!flood 3');
    expect(texts('agent_message_chunk')).toEqual(['x', 'x', 'x']);
  });

  it('refuses a prompt in a session that it does not know', async () => {
    await expect((await connected()).prompt('unknown', 'hi')).rejects.toMatchObject({ code: -32_002 });
  });
});

describe('a tool of the demo agent', () => {
  it('reads a file of its client, and reports the beginning and the end of the call', async () => {
    const { begin, prompt, files, updates, questions, said } = await connected();
    files.set('/notes.txt', 'remember the milk');
    await prompt(await begin(), '!read /notes.txt');
    expect(updates.slice(0, 2)).toEqual([
      {
        sessionUpdate: 'tool_call',
        toolCallId: 'call-1-1',
        title: 'read_file',
        kind: 'read',
        status: 'in_progress',
        rawInput: { path: '/notes.txt' },
      },
      {
        sessionUpdate: 'tool_call_update',
        toolCallId: 'call-1-1',
        status: 'completed',
        content: [{ type: 'content', content: { type: 'text', text: 'remember the milk' } }],
      },
    ]);
    expect([said(), questions]).toEqual(['read_file -> remember the milk\n', []]);
  });

  it('that fails is reported as failed, and the prompt continues', async () => {
    const { begin, prompt, updates, said } = await connected();
    await prompt(await begin(), '!read /none\n!say next');
    expect(updates[1]).toMatchObject({ toolCallId: 'call-1-1', status: 'failed' });
    expect(said()).toBe('read_file -> no file /none\nnext\n');
  });

  it.each(['once', 'always'])('writes a file that its client allows %s', async (choice) => {
    const { begin, prompt, files, questions } = await connected({ choice });
    const sessionId = await begin();
    await prompt(sessionId, '!write /a.txt some text');
    expect([...files]).toEqual([['/a.txt', 'some text']]);
    expect(questions).toEqual([
      {
        sessionId,
        toolCall: { toolCallId: 'call-1-1', title: 'write_file', kind: 'edit', rawInput: { path: '/a.txt' } },
        options: [
          { optionId: 'always', name: 'Allow always', kind: 'allow_always' },
          { optionId: 'once', name: 'Allow', kind: 'allow_once' },
          { optionId: 'no', name: 'Reject', kind: 'reject_once' },
        ],
      },
    ]);
  });

  it.each([
    ['no', 'write_file -> rejected\n'],
    [undefined, 'write_file -> cancelled\n'],
  ])('writes nothing when the choice is %s', async (choice, text) => {
    const { begin, prompt, files, said } = await connected(choice === undefined ? {} : { choice });
    await prompt(await begin(), '!write /a.txt some text');
    expect([files.size, said()]).toEqual([0, text]);
  });

  it('runs a command in a terminal of its client, and releases it', async () => {
    const { begin, prompt, commands, said } = await connected({ choice: 'once' });
    await prompt(await begin(), '!run make all');
    expect(said()).toBe('run_command -> two errors (exit 2)\n');
    expect(commands).toEqual([
      ['/bin/sh', ['-c', 'make all']],
      ['release', 'terminal-1'],
    ]);
  });

  it('asks about what it is told to, with its kind and its title', async () => {
    const { begin, prompt, questions, said } = await connected({ choice: 'always' });
    await prompt(await begin(), '!say first\n!ask execute deploy to production');
    expect(questions[0]?.toolCall).toEqual({
      toolCallId: 'call-1-1',
      title: 'deploy to production',
      kind: 'execute',
      rawInput: {},
    });
    expect(said()).toBe('first\ndeploy to production -> allowed\n');
  });
});

/** A server of tools, as a program: what it does with each message is the body of a function of `message` and `answer`. */
const toolServer = (body: string): McpServer => ({
  name: 'tools',
  command: process.execPath,
  args: [
    '-e',
    `const answer = (said) => console.log(JSON.stringify({ jsonrpc: '2.0', ...said }));
     require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
       const message = JSON.parse(line);
       ${body}
     });`,
  ],
  env: [],
});

const READY = "if (message.method === 'initialize') answer({ id: message.id, result: {} });";

describe('an offered server of the demo agent', () => {
  it('is started, initialized and asked, and its texts are the result', async () => {
    const { begin, prompt, said } = await connected();
    const server = toolServer(`${READY}
      if (message.method === 'tools/call') {
        const { name, arguments: given } = message.params;
        answer({ method: 'notifications/progress' });
        answer({ id: message.id, result: { content: [{ text: name }, {}, { text: JSON.stringify(given) }] } });
      }`);
    const ofWeb: McpServer = { type: 'http', name: 'web', url: 'http://127.0.0.1:1/', headers: [] };
    const sessionId = await begin([ofWeb, server]);
    await prompt(sessionId, '!tool lookup {"city":"Ulm"}');
    expect(said()).toBe('lookup -> lookup\n\n{"city":"Ulm"}\n');
    await prompt(sessionId, '!tool list');
    expect(said()).toBe('lookup -> lookup\n\n{"city":"Ulm"}\nlist -> list\n\n{}\n');
  });

  it.each([
    ['refuses', `${READY} if (message.id === 2) answer({ id: 2, error: { message: 'not now' } });`, 'error: not now'],
    ['says nothing', `${READY} if (message.id === 2) answer({ id: 2, result: {} });`, ''],
    ['says no result', `${READY} if (message.id === 2) answer({ id: 2 });`, ''],
    ['ends', 'process.exit(0);', 'the server ended'],
  ])('that %s', async (_what, body, result) => {
    const { begin, prompt, said } = await connected();
    await prompt(await begin([toolServer(body)]), '!tool lookup');
    expect(said()).toBe(`lookup -> ${result}\n`);
  });

  it('is missed when the client offers none that can be started', async () => {
    const { begin, prompt, said } = await connected();
    const sessionId = await begin([{ type: 'http', name: 'web', url: 'http://127.0.0.1:1/', headers: [] }]);
    await prompt(sessionId, '!tool lookup');
    expect(said()).toBe('lookup -> no server is offered\n');
  });

  it('is not asked when its input is not JSON: the prompt fails', async () => {
    const { begin, prompt } = await connected();
    await expect(prompt(await begin([toolServer(READY)]), '!tool lookup {')).rejects.toMatchObject({ code: -32_603 });
  });
});

describe('cancelling the demo agent', () => {
  it('ends a prompt that holds, does no later directive, and leaves the session usable', async () => {
    const { agent, begin, prompt, said } = await connected();
    const sessionId = await begin();
    const held = prompt(sessionId, '!say begun\n!hold\n!say never\nrest');
    await expect.poll(said).toBe('begun\n');
    await agent.notify(methods.agent.session.cancel, { sessionId });
    expect(await held).toEqual({ stopReason: 'cancelled' });
    expect((await prompt(sessionId, 'again')).stopReason).toBe('end_turn');
    expect(said()).toBe('begun\nYou said: again');
  });

  it('costs nothing in a session that it does not know', async () => {
    const { agent, begin, prompt } = await connected();
    await agent.notify(methods.agent.session.cancel, { sessionId: 'unknown' });
    expect((await prompt(await begin(), 'hi')).stopReason).toBe('end_turn');
  });
});

describe('a stored session of the demo agent', () => {
  it('is shown again by another process, and continues', async () => {
    const first = await connected();
    const sessionId = await first.begin();
    await first.prompt(sessionId, 'one');
    await first.prompt(sessionId, 'two');
    const second = await connected();
    await second.agent.request(methods.agent.session.load, { sessionId, cwd: '/', mcpServers: [] });
    expect(second.texts('user_message_chunk')).toEqual(['one', 'two']);
    await second.prompt(sessionId, '!recall');
    expect(second.said()).toBe('remembers: one | two\n');
    const stored = readFileSync(join(home, '.svc-demo-agent', `${sessionId}.json`), 'utf8');
    expect(JSON.parse(stored)).toEqual(['one', 'two', '!recall']);
  });

  it('is not found by an id that none has, and an id names no file elsewhere', async () => {
    const { agent } = await connected();
    const load = (sessionId: string) =>
      agent.request(methods.agent.session.load, { sessionId, cwd: '/', mcpServers: [] });
    await expect(load('unknown')).rejects.toMatchObject({ code: -32_002 });
    writeFileSync(join(home, 'secret.json'), '["outside"]');
    await expect(load('../secret')).rejects.toMatchObject({ code: -32_002 });
    expect(readdirSync(join(home, '.svc-demo-agent'))).not.toContain('secret.json');
  });

  it('that is broken is an error, not an empty session', async () => {
    const first = await connected();
    const sessionId = await first.begin();
    writeFileSync(join(home, '.svc-demo-agent', `${sessionId}.json`), '["half');
    const { agent } = await connected();
    await expect(
      agent.request(methods.agent.session.load, { sessionId, cwd: '/', mcpServers: [] }),
    ).rejects.toMatchObject({ code: -32_603 });
  });
});
