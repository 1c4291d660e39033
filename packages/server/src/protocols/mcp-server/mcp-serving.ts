import { isFault, isRecord } from '../../base/index.ts';
import type { McpOffer, McpOfferedCall, McpServing, McpToolResult } from './contract.ts';
import { knowsTasks, offerTasks, TASKS_EXTENSION, taskAnswer } from './mcp-tasks.ts';

type Library = typeof import('@modelcontextprotocol/server');
type Handler = ReturnType<Library['createMcpHandler']>;
type ServerOf = InstanceType<Library['Server']>;
type Factory = Parameters<Library['createMcpHandler']>[0];

/** Lists come in pages of this many. */
const PAGE = 50;
const IDEMPOTENCY_META = 'svc/idempotency-key';

interface ServingDeps {
  readonly version: string;
  /** Largest request body. */
  readonly requestBytes: number;
  /** Hears what went wrong apart from the requests that were answered. */
  readonly failed: (error: Error) => void;
}

/** Serves over the official server library, which is loaded with the first request. */
export const createMcpServing = (deps: ServingDeps): McpServing => {
  let handler: Promise<Handler> | undefined;
  return {
    serve: async (request, offer) => {
      handler ??= openHandler(deps);
      const authInfo = { token: '', clientId: '', scopes: [], extra: { offer } };
      return (await handler).fetch(request, { authInfo });
    },
    close: async () => (await handler)?.close(),
  };
};

const openHandler = async (deps: ServingDeps): Promise<Handler> => {
  const library = await import('@modelcontextprotocol/server');
  const serve: Factory = ({ authInfo, era }) => {
    const offer = authInfo?.extra?.['offer'] as McpOffer;
    return serverFor({ library, offer, version: deps.version, isOlder: era === 'legacy' });
  };
  return library.createMcpHandler(serve, { maxRequestBodySize: deps.requestBytes, onerror: deps.failed });
};

/** One page of a list, and where the next one begins. */
const pageOf = <T>(
  items: readonly T[],
  cursor: string | undefined,
): { readonly page: T[]; readonly nextCursor?: string } => {
  const from = /^\d{1,9}$/.test(cursor ?? '') ? Number(cursor) : 0;
  const page = items.slice(from, from + PAGE);
  return from + PAGE < items.length ? { page, nextCursor: String(from + PAGE) } : { page };
};

interface Offering {
  readonly library: Library;
  readonly offer: McpOffer;
  readonly version: string;
  /** The client speaks a revision before 2026-07-28. */
  readonly isOlder: boolean;
}

/** The server that answers one request of one caller. */
const serverFor = ({ library, offer, version, isOlder }: Offering): ServerOf => {
  const tasks = isOlder
    ? { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }
    : { extensions: { [TASKS_EXTENSION]: {} } };
  const capabilities = { tools: {}, resources: {}, prompts: {}, ...tasks };
  const server = new library.Server({ name: 'svc', version }, { capabilities });
  const missing: Missing = (text, data) =>
    new library.ProtocolError(library.ProtocolErrorCode.InvalidParams, text, data);
  offerTools(server, { offer, missing, isOlder });
  offerTasks({ server, library, offer, isOlder });
  offerDocuments(server, offer, missing);
  offerPrompts(server, offer, missing);
  return server;
};

/** The error for something that is not there; `data` names it for programs. */
type Missing = (text: string, data?: Readonly<Record<string, string>>) => Error;

interface ToolOffering extends Pick<Offering, 'offer' | 'isOlder'> {
  readonly missing: Missing;
}

const offerTools = (server: ServerOf, { offer, missing, isOlder }: ToolOffering): void => {
  server.setRequestHandler('tools/list', async ({ params }) => {
    const { page, ...next } = pageOf(await offer.tools(), params?.cursor);
    const tools = page.map(({ name, description, inputSchema, isReadOnly, mayBeTask }) => ({
      name,
      description,
      inputSchema: { ...inputSchema, type: 'object' as const },
      annotations: { readOnlyHint: isReadOnly },
      // The newer era has no such word: there the server decides.
      ...(mayBeTask === true ? { execution: { taskSupport: 'optional' as const } } : {}),
    }));
    return { tools, ...next };
  });
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const { _meta: meta, signal, notify } = context.mcpReq;
    const token = meta?.progressToken;
    let count = 0;
    const progress =
      token === undefined
        ? undefined
        : (message: string): void => {
            count += 1;
            const told = { progressToken: token, progress: count, message };
            // A client that is gone is noticed by the signal of its request.
            notify({ method: 'notifications/progress', params: told }).catch(() => undefined);
          };
    const key = meta?.[IDEMPOTENCY_META];
    const call: McpOfferedCall = {
      name: params.name,
      input: params.arguments ?? {},
      idempotencyKey: typeof key === 'string' ? key : '',
      signal,
      progress,
      asTask: isOlder ? (isRecord(params.task) ? 'must' : 'never') : knowsTasks(context) ? 'may' : 'never',
    };
    const result = await shownFaults(() => offer.call(call));
    if (result === undefined) throw missing(`there is no tool ${params.name}`);
    if ('task' in result) return taskAnswer(result.task, isOlder);
    return {
      content: [{ type: 'text' as const, text: result.text }],
      ...(result.structured === undefined ? {} : { structuredContent: { ...result.structured } }),
      isError: result.isError,
    };
  });
};

const offerDocuments = (server: ServerOf, offer: McpOffer, missing: Missing): void => {
  server.setRequestHandler('resources/list', async ({ params }) => {
    const { page, ...next } = pageOf(await offer.documents(), params?.cursor);
    return { resources: page.map(({ uri, name, mediaType }) => ({ uri, name, mimeType: mediaType })), ...next };
  });
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const found = await offer.read(uri);
    if (found === undefined) throw missing(`there is no document ${uri}`, { uri });
    return { contents: [{ uri, mimeType: found.mediaType, text: found.text }] };
  });
};

const offerPrompts = (server: ServerOf, offer: McpOffer, missing: Missing): void => {
  server.setRequestHandler('prompts/list', async ({ params }) => {
    const { page, ...next } = pageOf(await offer.prompts(), params?.cursor);
    return { prompts: page.map(({ name, description }) => ({ name, description })), ...next };
  });
  server.setRequestHandler('prompts/get', async ({ params: { name } }) => {
    const text = await offer.prompt(name);
    if (text === undefined) throw missing(`there is no prompt ${name}`);
    return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] };
  });
};

/** A refusal is a result that the model reads, not an error of the protocol. */
export const shownFaults = async <T>(work: () => Promise<T>): Promise<T | McpToolResult> => {
  try {
    return await work();
  } catch (error) {
    if (!isFault(error)) throw error;
    const { code, reason, message, violations } = error;
    const said = { code, reason, message, ...(violations.length === 0 ? {} : { violations }) };
    return { text: JSON.stringify(said), isError: true };
  }
};
