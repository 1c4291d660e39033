import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type ModelScript, type Piece, readScript, type ToolBatch } from './model-script.ts';

/** One request the server under test made. */
export interface ModelRequest {
  /** The last user message. */
  readonly text: string;
  /** Tool results after it, in the order in which the model sees them. */
  readonly results: readonly string[];
  /** Answers of the model that came back to it, whole, in all turns of the request. */
  readonly answers: readonly ChatMessage[];
  /** Body as it came. */
  readonly body: string;
}

/** A message as it is in the body of a request; any field may be there. */
export interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly [field: string]: unknown;
}

interface Gate {
  readonly arrived: PromiseWithResolvers<void>;
  readonly opened: PromiseWithResolvers<void>;
}

/** OpenAI-compatible provider; `await using` closes it. */
export class MockModel implements AsyncDisposable {
  readonly #server: Server;
  readonly #gates = new Map<string, Gate>();
  readonly requests: ModelRequest[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  static async start(): Promise<MockModel> {
    const model = new MockModel();
    model.#server.listen(0, '127.0.0.1');
    await once(model.#server, 'listening');
    return model;
  }

  /** Variables that make this the default model of a server. */
  get environment(): Record<string, string> {
    const { port } = this.#server.address() as AddressInfo;
    const mock = { type: 'openai-compatible', baseUrl: `http://127.0.0.1:${port}/v1` };
    return { SVC_MODELS_PROVIDERS: JSON.stringify({ mock }), SVC_MODELS_DEFAULT: 'mock/mock-1' };
  }

  /** Requests whose last user message is this. */
  requestsFor(text: string): readonly ModelRequest[] {
    return this.requests.filter((request) => request.text === text);
  }

  /** Resolves when an answer waits at the gate. */
  async arrivedAt(gate: string): Promise<void> {
    await this.#gate(gate).arrived.promise;
  }

  /** Lets every answer pass the gate, those to come too. */
  open(gate: string): void {
    this.#gate(gate).opened.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #gate(name: string): Gate {
    const known = this.#gates.get(name);
    if (known !== undefined) return known;
    const gate = { arrived: Promise.withResolvers<void>(), opened: Promise.withResolvers<void>() };
    this.#gates.set(name, gate);
    return gate;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const received = Buffer.concat(await request.toArray()).toString('utf8');
    const body = JSON.parse(received) as { messages: ChatMessage[] };
    const last = body.messages.findLastIndex((message) => message.role === 'user');
    const text = textOf(body.messages[last]);
    const results = body.messages
      .slice(last)
      .filter((message) => message.role === 'tool')
      .map(textOf);
    const answers = body.messages.filter((message) => message.role === 'assistant');
    this.requests.push({ text, results, answers, body: received });
    const script = readScript(text);
    if (script.status !== undefined) {
      response.writeHead(script.status, { 'content-type': 'application/json' }).end('{"error":{"message":"refused"}}');
      return;
    }
    const batch = batchAfter(script, results.length);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (batch === undefined) await this.#writeText(script, response);
    else writeCalls(batch, response);
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    write(response, { choices: [], usage });
    response.end('data: [DONE]\n\n');
  }

  async #writeText(script: ModelScript, response: ServerResponse): Promise<void> {
    writeOpening(script.opening, response);
    for (const [index, content] of script.words.entries()) {
      if (script.gate?.before === index) await this.#pass(script.gate.name);
      write(response, { choices: [{ index: 0, delta: { content } }] });
      if (script.paceMs > 0) await pause(script.paceMs);
    }
    if (script.gate?.before === script.words.length) await this.#pass(script.gate.name);
    write(response, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
  }

  async #pass(name: string): Promise<void> {
    const gate = this.#gate(name);
    gate.arrived.resolve();
    await gate.opened.promise;
  }
}

/** The batch that follows so many results; undefined when the calls are done. */
const batchAfter = (script: ModelScript, results: number): ToolBatch | undefined => {
  let left = results;
  for (const batch of script.batches) {
    if (left === 0) return batch;
    left -= batch.calls.length;
  }
  return undefined;
};

const writeOpening = (opening: readonly Piece[], response: ServerResponse): void => {
  for (const { kind, text } of opening) {
    const delta = kind === 'reasoning' ? { reasoning_content: text } : { content: text };
    write(response, { choices: [{ index: 0, delta }] });
  }
};

const writeCalls = ({ opening, calls }: ToolBatch, response: ServerResponse): void => {
  writeOpening(opening, response);
  const toolCalls = calls.map(({ name, input }, index) => ({
    index,
    id: `call-${index}`,
    type: 'function',
    function: { name, arguments: input },
  }));
  write(response, { choices: [{ index: 0, delta: { tool_calls: toolCalls } }] });
  write(response, { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] });
};

const write = (response: ServerResponse, chunk: object): void => {
  response.write(
    `data: ${JSON.stringify({ id: 'mock', object: 'chat.completion.chunk', model: 'mock-1', ...chunk })}\n\n`,
  );
};

const textOf = (message: ChatMessage | undefined): string => {
  const content = message?.content;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as { readonly text?: string }[]).map((part) => part.text ?? '').join('');
};
