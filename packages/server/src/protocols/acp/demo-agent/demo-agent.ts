import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  type AgentContext,
  agent,
  type McpServer,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type SessionUpdate,
  type ToolKind,
} from '@agentclientprotocol/sdk/unstable';

/**
 * The agent `demo`: deterministic, speaks the Agent Client Protocol, for trying harnesses and testing them. demo-program.ts runs it inside a
 * sandbox, so this imports nothing but Node.js and the library of the protocol, and gets no part of the server.
 *
 * Lines of a prompt that begin with `!` are directives, done in order; the other lines are answered with `You said: ...`:
 * `!say TEXT`, `!think TEXT`, `!read PATH`, `!write PATH TEXT`, `!run COMMAND`, `!ask KIND TITLE`, `!tool NAME JSON` (of the servers that
 * the client offers), `!recall` (the earlier prompts of this session), `!env NAME`, `!hold` (until it is cancelled), `!exit CODE`, `!raw TEXT` (prints
 * a line of its own), `!flood N` (N updates).
 */

/** The process around the agent. */
export interface DemoHost {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Below it the agent keeps its sessions. */
  readonly home: string;
  /** To standard output, between the messages of the protocol. */
  print(text: string): void;
  exit(code: number): void;
}

interface DemoSession {
  readonly id: string;
  readonly servers: readonly McpServer[];
  readonly told: string[];
  cancel: AbortController;
}

/** The sessions of one agent: those it has open, and a file for each that it ever had. */
class DemoSessions {
  readonly #folder: string;
  readonly #open = new Map<string, DemoSession>();

  constructor(home: string) {
    this.#folder = join(home, '.svc-demo-agent');
  }

  find(id: string): DemoSession | undefined {
    return this.#open.get(id);
  }

  create(servers: readonly McpServer[]): DemoSession {
    const session = this.#add(randomUUID(), servers, []);
    this.save(session);
    return session;
  }

  load(id: string, servers: readonly McpServer[]): DemoSession {
    return this.#add(id, servers, this.#stored(id));
  }

  save({ id, told }: DemoSession): void {
    mkdirSync(this.#folder, { recursive: true });
    writeFileSync(this.#pathOf(id), JSON.stringify(told));
  }

  #add(id: string, servers: readonly McpServer[], told: string[]): DemoSession {
    const session = { id, servers, told, cancel: new AbortController() };
    this.#open.set(id, session);
    return session;
  }

  #stored(id: string): string[] {
    try {
      return JSON.parse(readFileSync(this.#pathOf(id), 'utf8')) as string[];
    } catch (error) {
      if ((error as { readonly code?: unknown }).code === 'ENOENT') throw RequestError.resourceNotFound(id);
      throw error;
    }
  }

  #pathOf(id: string): string {
    return join(this.#folder, `${id.replaceAll(/[^\w-]/g, '')}.json`);
  }
}

/** One prompt under way. */
class Prompt {
  readonly #host: DemoHost;
  readonly #session: DemoSession;
  /** Of this prompt: a later one of the session has its own. */
  readonly #signal: AbortSignal;
  readonly #client: AgentContext;
  readonly #said: string[] = [];
  #calls = 0;

  constructor(host: DemoHost, session: DemoSession, client: AgentContext) {
    this.#host = host;
    this.#session = session;
    this.#signal = session.cancel.signal;
    this.#client = client;
  }

  /** Does what the text says; resolves with how it ended. */
  async work(text: string) {
    const lines = text.split('\n');
    const plain = lines
      .filter((line) => !line.startsWith('!'))
      .join('\n')
      .trim();
    for (const line of lines.filter((each) => each.startsWith('!'))) {
      if (this.#signal.aborted) break;
      await this.#run(line);
    }
    if (this.#signal.aborted) return { stopReason: 'cancelled' as const };
    if (plain !== '') await this.#say('agent_message_chunk', `You said: ${plain}`);
    const [inputTokens, outputTokens] = [countWords(text), countWords(this.#said.join(''))];
    return {
      stopReason: 'end_turn' as const,
      usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
    };
  }

  async #say(kind: 'agent_message_chunk' | 'agent_thought_chunk', text: string): Promise<void> {
    for (const piece of text.match(/\S+\s*|\s+/g) ?? []) {
      this.#said.push(piece);
      await this.#update({ sessionUpdate: kind, content: { type: 'text', text: piece } });
    }
  }

  async #run(line: string): Promise<void> {
    const [verb = '', ...words] = line.slice(1).split(' ');
    const rest = words.join(' ');
    switch (verb) {
      case 'say':
        return this.#say('agent_message_chunk', `${rest}\n`);
      case 'think':
        return this.#say('agent_thought_chunk', rest);
      case 'recall':
        return this.#say('agent_message_chunk', `remembers: ${this.#session.told.slice(0, -1).join(' | ')}\n`);
      case 'env':
        return this.#say('agent_message_chunk', `${rest}=${this.#host.environment[rest] ?? ''}\n`);
      case 'hold':
        return this.#hold();
      case 'exit':
        return this.#host.exit(Number(rest));
      case 'raw':
        return this.#host.print(`${rest}\n`);
      case 'flood':
        for (let index = 0; index < Number(rest); index++) await this.#say('agent_message_chunk', 'x');
        return undefined;
      default:
        return this.#act(verb, words);
    }
  }

  async #act(verb: string, words: readonly string[]): Promise<void> {
    const [first = '', ...others] = words;
    const rest = others.join(' ');
    const sessionId = this.#session.id;
    switch (verb) {
      case 'read':
        return this.#tool({ name: 'read_file', kind: 'read', input: { path: first } }, async () => {
          const { content } = await this.#client.request(methods.client.fs.readTextFile, { sessionId, path: first });
          return content;
        });
      case 'write':
        return this.#asking({ name: 'write_file', kind: 'edit', input: { path: first } }, async () => {
          await this.#client.request(methods.client.fs.writeTextFile, { sessionId, path: first, content: rest });
          return 'written';
        });
      case 'run':
        return this.#asking({ name: 'run_command', kind: 'execute', input: { command: words.join(' ') } }, () =>
          this.#runCommand(words.join(' ')),
        );
      case 'ask':
        return this.#asking({ name: rest, kind: first as ToolKind, input: {} }, async () => 'allowed');
      case 'tool':
        return this.#tool({ name: first, kind: 'other', input: JSON.parse(rest || '{}') as unknown }, (input) =>
          callServer(this.#session.servers, first, input),
        );
      default:
        return this.#say('agent_message_chunk', `there is no directive ${verb}\n`);
    }
  }

  async #runCommand(command: string): Promise<string> {
    await using terminal = await this.#client.createTerminal({
      sessionId: this.#session.id,
      command: '/bin/sh',
      args: ['-c', command],
    });
    const { exitCode } = await terminal.waitForExit();
    const { output } = await terminal.currentOutput();
    return `${output.trim()} (exit ${exitCode})`;
  }

  async #asking(call: DemoCall, work: () => Promise<string>): Promise<void> {
    await this.#tool(call, async () => {
      const { outcome } = await this.#client.request(methods.client.session.requestPermission, {
        sessionId: this.#session.id,
        toolCall: { toolCallId: this.#callId(), title: call.name, kind: call.kind, rawInput: call.input },
        options: [
          { optionId: 'always', name: 'Allow always', kind: 'allow_always' },
          { optionId: 'once', name: 'Allow', kind: 'allow_once' },
          { optionId: 'no', name: 'Reject', kind: 'reject_once' },
        ],
      });
      if (outcome.outcome === 'cancelled') return 'cancelled';
      return outcome.optionId === 'no' ? 'rejected' : work();
    });
  }

  async #tool(call: DemoCall, work: (input: unknown) => Promise<string>): Promise<void> {
    this.#calls += 1;
    const toolCallId = this.#callId();
    const { name, kind, input } = call;
    await this.#update({
      sessionUpdate: 'tool_call',
      toolCallId,
      title: name,
      kind,
      status: 'in_progress',
      rawInput: input,
    });
    const end = await work(input).then(
      (text) => ({ status: 'completed' as const, text }),
      (error: Error) => ({ status: 'failed' as const, text: error.message }),
    );
    await this.#update({
      sessionUpdate: 'tool_call_update',
      toolCallId,
      status: end.status,
      content: [{ type: 'content', content: { type: 'text', text: end.text } }],
    });
    await this.#say('agent_message_chunk', `${name} -> ${end.text}\n`);
  }

  #callId(): string {
    return `call-${this.#session.told.length}-${this.#calls}`;
  }

  #hold(): Promise<void> {
    return new Promise((resolve) => this.#signal.addEventListener('abort', () => resolve(), { once: true }));
  }

  #update(update: SessionUpdate): Promise<void> {
    return sendUpdate(this.#client, this.#session.id, update);
  }
}

interface DemoCall {
  readonly name: string;
  readonly kind: ToolKind;
  readonly input: unknown;
}

const countWords = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;

const sendUpdate = (client: AgentContext, sessionId: string, update: SessionUpdate): Promise<void> =>
  client.notify(methods.client.session.update, { sessionId, update });

/** Calls a tool of the first offered server over its standard streams. */
const callServer = async (servers: readonly McpServer[], name: string, input: unknown): Promise<string> => {
  const server = servers.find((candidate) => 'command' in candidate);
  if (server === undefined) return 'no server is offered';
  const child = spawn(server.command, server.args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const send = (message: Readonly<Record<string, unknown>>): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'demo', version: '1' };
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const answer = JSON.parse(line) as McpAnswer;
      if (answer.error !== undefined) return `error: ${answer.error.message}`;
      if (answer.id === 1) {
        send({ method: 'notifications/initialized' });
        send({ id: 2, method: 'tools/call', params: { name, arguments: input } });
      }
      if (answer.id === 2) return (answer.result?.content ?? []).map(({ text = '' }) => text).join('\n');
    }
    return 'the server ended';
  } finally {
    child.kill();
  }
};

interface McpAnswer {
  readonly id?: number;
  readonly error?: { readonly message: string };
  readonly result?: { readonly content?: readonly { readonly text?: string }[] };
}

/** The agent, to be connected to the streams of a client. */
export const demoAgent = (host: DemoHost) => {
  const { environment } = host;
  const sessions = new DemoSessions(host.home);
  return agent({ name: 'demo' })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentCapabilities: { loadSession: environment['DEMO_AGENT_LOAD'] !== 'off' },
      authMethods: environment['DEMO_AGENT_SIGN_IN'] === undefined ? [] : [{ id: 'key', name: 'Key' }],
    }))
    .onRequest(methods.agent.authenticate, ({ params: { methodId } }) => {
      if (methodId !== environment['DEMO_AGENT_SIGN_IN']) throw RequestError.authRequired();
      return {};
    })
    .onRequest(methods.agent.session.new, ({ params: { mcpServers } }) => ({
      sessionId: sessions.create(mcpServers).id,
    }))
    .onRequest(methods.agent.session.load, async ({ params: { sessionId, mcpServers }, client }) => {
      for (const text of sessions.load(sessionId, mcpServers).told)
        await sendUpdate(client, sessionId, { sessionUpdate: 'user_message_chunk', content: { type: 'text', text } });
      return {};
    })
    .onRequest(methods.agent.session.prompt, ({ params: { sessionId, prompt }, client }) => {
      const text = prompt.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
      const session = sessions.find(sessionId);
      if (session === undefined) throw RequestError.resourceNotFound(sessionId);
      session.cancel = new AbortController();
      session.told.push(text);
      sessions.save(session);
      return new Prompt(host, session, client).work(text);
    })
    .onNotification(methods.agent.session.cancel, ({ params: { sessionId } }) => {
      sessions.find(sessionId)?.cancel.abort();
    });
};
