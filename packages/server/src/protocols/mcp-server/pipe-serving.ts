import type { McpPipe, McpToolOffer } from './contract.ts';
import { shownFaults } from './mcp-serving.ts';

type Library = typeof import('@modelcontextprotocol/server');
type Transport = Parameters<InstanceType<Library['Server']>['connect']>[0];
type Message = Parameters<NonNullable<Transport['onmessage']>>[0];

/** Longest line of a client. */
const LINE_BYTES = 1_048_576;

/** Serves tools to one client over its pipe, a message per line, until that ends or breaks a limit. */
export const serveToolsOver = async (pipe: McpPipe, offer: McpToolOffer, version: string): Promise<void> => {
  const library = await import('@modelcontextprotocol/server');
  const server = new library.Server({ name: 'svc', version }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', async () => ({
    tools: (await offer.tools()).map(({ name, description, inputSchema, isReadOnly }) => ({
      name,
      description,
      inputSchema: { ...inputSchema, type: 'object' as const },
      annotations: { readOnlyHint: isReadOnly },
    })),
  }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq: { signal } }) => {
    const { name, arguments: input = {} } = params;
    const result = await shownFaults(() =>
      offer.call({ name, input, idempotencyKey: '', signal, progress: undefined }),
    );
    if (result === undefined)
      throw new library.ProtocolError(library.ProtocolErrorCode.InvalidParams, `there is no tool ${name}`);
    return {
      content: [{ type: 'text' as const, text: result.text }],
      ...(result.structured === undefined ? {} : { structuredContent: { ...result.structured } }),
      isError: result.isError,
    };
  });
  const transport = new PipeTransport(pipe);
  await server.connect(transport);
  await transport.read();
  await server.close();
};

class PipeTransport implements Transport {
  readonly #pipe: McpPipe;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;

  constructor(pipe: McpPipe) {
    this.#pipe = pipe;
  }

  async start(): Promise<void> {
    await Promise.resolve();
  }

  async send(message: Message): Promise<void> {
    await this.#pipe.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
  }

  async close(): Promise<void> {
    this.onclose?.();
    await Promise.resolve();
  }

  /** Hands on message after message; ends with the pipe, or with a line that is too long or no message. */
  async read(): Promise<void> {
    let pending = '';
    const decoder = new TextDecoder();
    for await (const chunk of this.#pipe.output) {
      pending += decoder.decode(chunk, { stream: true });
      const lines = pending.split('\n');
      pending = lines.pop() ?? '';
      if (pending.length > LINE_BYTES) return;
      for (const line of lines) {
        const message = parsed(line);
        if (message === undefined) return;
        this.onmessage?.(message);
      }
    }
  }
}

const parsed = (line: string): Message | undefined => {
  try {
    return JSON.parse(line) as Message;
  } catch {
    return undefined;
  }
};
