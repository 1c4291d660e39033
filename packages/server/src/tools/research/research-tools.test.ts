import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createToolRegistry, type Tool, type ToolContext } from '../index.ts';
import { createFetchUrl, type FetchPage } from './fetch-url.ts';
import { createResearchTools } from './research-tools.ts';
import type { SearchSettings } from './search-engines.ts';
import { createWebSearch } from './web-search.ts';

const context = { namespace: 'demo', signal: new AbortController().signal } as ToolContext;

const call = async (tool: Tool, input: Readonly<Record<string, unknown>>) => {
  expect(createToolRegistry({ tools: [tool], log: { warn: () => undefined } }).validate(tool, input)).toEqual([]);
  const result = await tool.run(context, input);
  if ('wait' in result) throw new Error('the call waits');
  const [first] = result.content;
  return { ...result, text: first?.type === 'text' ? first.text : '' };
};

describe('fetch_url', () => {
  const page = (body: string | Uint8Array, contentType: string): Tool => {
    const fetchPage: FetchPage = async (namespace, url, options) => {
      expect([namespace, options.limitBytes, options.acceptsHttp]).toEqual(['demo', 5 * 1024 * 1024, true]);
      return { bytes: Buffer.from(body), contentType, url: `${url}/end` };
    };
    return createFetchUrl({ fetchPage, htmlText: (html) => html.replaceAll(/<[^>]*>/g, ' ') });
  };
  const fetched = (body: string | Uint8Array, contentType: string, input = {}) =>
    call(page(body, contentType), { url: 'https://a.example', ...input });

  it('answers the words of a page, tidied, and where it was found', async () => {
    const { text, structured } = await fetched('<p>Hello   there</p>\n\n\n\n<p>you</p>', 'Text/HTML; charset=utf-8');
    expect(text).toBe('Hello there\n\nyou');
    expect(structured).toMatchObject({ url: 'https://a.example/end', media_type: 'text/html', truncated: false });
  });

  it.each([
    'application/json',
    'text/csv',
    'application/problem+json',
    'image/svg+xml'.replace('image', 'application'),
  ])('answers %s as it is', async (type) => expect((await fetched('{ "a":  1 }', type)).text).toBe('{ "a":  1 }'));

  it.each([
    ['text/plain; charset="iso-8859-1"', ''],
    ['text/html', '<meta charset=latin1>'],
  ])('reads the encoding that server or page names: %s', async (type, head) => {
    expect((await fetched(Buffer.from(`${head}gr\xfcn`, 'latin1'), type)).text).toBe('grün');
  });

  it('reads what names an encoding that does not exist as UTF-8', async () => {
    expect((await fetched('grün', 'text/plain; charset=made-up')).text).toBe('grün');
  });

  it.each([
    ['image/png', 'image/png'],
    ['application/pdf', 'application/pdf'],
    ['', 'content of no stated type'],
  ])('refuses %s by its name', async (type, said) => {
    const { isError, text } = await fetched('x', type);
    expect([isError, JSON.parse(text).error]).toEqual([true, `the address holds ${said}, which is not text`]);
  });

  it('cuts at max_chars and never inside a character', async () => {
    const { text, structured } = await fetched('abc😀def', 'text/plain', { max_chars: 4 });
    expect(text).toBe('abc');
    expect(structured).toMatchObject({ chars: 8, truncated: true });
    expect((await fetched('abc😀def', 'text/plain', { max_chars: 5 })).text).toBe('abc😀');
    expect((await fetched(' ', 'text/html')).text).toBe('(the page has no text)');
  });
});

describe('web_search', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  type Seen = {
    readonly method: string;
    readonly url: URL;
    readonly headers: IncomingMessage['headers'];
    body: string;
  };

  const serve = async (answer: (seen: Seen, response: ServerResponse) => void): Promise<string> => {
    server = createServer(async (request, response) => {
      const { method = '', url = '', headers } = request;
      let body = '';
      for await (const chunk of request) body += String(chunk);
      answer({ method, url: new URL(url, 'http://a'), headers, body }, response);
    });
    const opened = server;
    await new Promise<void>((resolve) => opened.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(opened.address() as AddressInfo).port}/find`;
  };
  const json = (value: unknown) => (_seen: Seen, response: ServerResponse) => void response.end(JSON.stringify(value));
  const search = async (settings: SearchSettings, input = {}) =>
    call(createWebSearch(settings, globalThis.fetch), { query: 'a b', ...input });
  const hit = { title: 'One', url: 'https://one.example', snippet: 'words' };

  it('speaks the Brave search API', async () => {
    const url = await serve((seen, response) => {
      expect([seen.method, seen.url.searchParams.get('q'), seen.url.searchParams.get('count')]).toEqual([
        'GET',
        'a b',
        '2',
      ]);
      expect(seen.headers['x-subscription-token']).toBe('k');
      json({ web: { results: [{ title: 'One', url: hit.url, description: 'words' }] } })(seen, response);
    });
    const { text, structured } = await search({ type: 'brave', url, apiKey: 'k' }, { limit: 2 });
    expect(structured).toEqual({ results: [hit] });
    expect(text).toBe('1. One\nhttps://one.example\nwords');
  });

  it('speaks the Tavily search API', async () => {
    const url = await serve((seen, response) => {
      expect([seen.method, seen.headers.authorization]).toEqual(['POST', 'Bearer k']);
      expect(JSON.parse(seen.body)).toEqual({ query: 'a b', max_results: 5 });
      json({ results: [{ title: 'One', url: hit.url, content: 'words', score: 1 }] })(seen, response);
    });
    expect((await search({ type: 'tavily', url, apiKey: 'k' })).structured).toEqual({ results: [hit] });
  });

  it('speaks the JSON format of SearXNG, with and without a key', async () => {
    const url = await serve((seen, response) => {
      expect([seen.url.searchParams.get('format'), seen.headers.authorization]).toEqual(['json', undefined]);
      json({ results: [{ title: 'One', url: hit.url, content: 'words' }] })(seen, response);
    });
    expect((await search({ type: 'searxng', url })).structured).toEqual({ results: [hit] });
  });

  it('leaves out results without an address, and no more than asked for', async () => {
    const results = [{ url: 'javascript:x' }, 7, { url: 'https://a' }, { url: 'https://b' }];
    const url = await serve(json({ results }));
    expect((await search({ type: 'searxng', url, apiKey: 'k' }, { limit: 1 })).structured).toEqual({
      results: [{ title: '', url: 'https://a', snippet: '' }],
    });
  });

  it('says when nothing was found', async () => {
    const url = await serve(json({ type: 'search' }));
    expect((await search({ type: 'brave', url, apiKey: 'k' })).text).toBe('Nothing was found.');
  });

  it.each<readonly [string, (seen: Seen, response: ServerResponse) => void]>([
    ['it answered 401', (_seen, response) => void response.writeHead(401).end('key k is wrong')],
    [
      'it does not answer',
      (_seen, response) => void response.writeHead(302, { location: 'http://other.example' }).end(),
    ],
    ['it does not answer', (_seen, response) => void response.destroy()],
    ['its answer is not JSON', (_seen, response) => void response.end('<html>')],
    ['its answer has an unexpected form', json({ results: 'none' })],
    ['its answer has an unexpected form', json([1])],
    ['its answer is larger than 2097152 bytes', (_seen, response) => void response.end('x'.repeat(3 << 20))],
  ])('says that the service cannot be used: %s', async (why, answer) => {
    const url = await serve(answer);
    await expect(search({ type: 'searxng', url })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining(why),
    });
  });

  it('does not begin without what the engine needs', () => {
    expect(() => createWebSearch({}, globalThis.fetch)).toThrow('research.search.type is required');
    expect(() => createWebSearch({ type: 'searxng' }, globalThis.fetch)).toThrow('research.search.url is required');
    expect(() => createWebSearch({ type: 'brave' }, globalThis.fetch)).toThrow('research.search.apiKey is required');
  });

  it('is there when an engine is configured', () => {
    const page = {
      fetchPage: () => Promise.reject(new Error('not fetched')),
      htmlText: String,
      fetch: globalThis.fetch,
    };
    const names = (search?: SearchSettings) => createResearchTools({ ...page, search }).map(({ name }) => name);
    expect(names()).toEqual(['fetch_url']);
    expect(names({ type: 'brave', apiKey: 'k' })).toEqual(['fetch_url', 'web_search']);
  });
});
