import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** What a page of the site has besides the chat, which the svc server hands out. */
const FRAME = `<!doctype html><html lang="en"><head><title>A site</title><meta name="viewport" content="width=device-width">
<script src="SERVER/widget/svc-chat.js" defer></script><script src="/page.js" defer></script></head>
<body><main><h1>A site</h1><p>Something to read.</p>CHAT</main></body></html>`;

/** The same site made with React. */
const REACT_FRAME = `<!doctype html><html lang="en"><head><title>A site</title><script src="/react.js" defer></script></head>
<body><div data-server="SERVER"></div></body></html>`;

const reactPage = async (): Promise<string> => {
  const input = fileURLToPath(new URL('react-page.ts', import.meta.url));
  const define = { 'process.env.NODE_ENV': '"production"' };
  const made = await rolldown({ input, platform: 'browser', logLevel: 'silent', transform: { define } });
  const { output } = await made.generate({ format: 'iife', codeSplitting: false });
  await made.close();
  return output[0].code;
};

/** The page's own script: gives tokens as the site's server hands them out, and counts how often it was asked. */
const PAGE = `
const chat = document.querySelector('svc-chat');
window.asked = 0;
chat.getToken = async () => {
  window.asked += 1;
  return (await fetch('/token' + location.search, { method: 'POST' })).text();
};
`;

export interface SiteOptions {
  /** The svc server of the chat. */
  readonly svc: () => string;
  /** A token for the conversation of the page with this query, at each asking. */
  readonly token: (query: URLSearchParams) => Promise<string>;
}

/** A website of another origin than the svc server, with a strict Content-Security-Policy and a chat on its only page. */
export class ChatSite implements AsyncDisposable {
  readonly #server: Server;
  readonly #options: SiteOptions;

  private constructor(options: SiteOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', this.url);
      this.#answer(url).then(
        ({ type, text }) => {
          response.writeHead(200, { 'content-type': type, 'content-security-policy': this.#policy() }).end(text);
        },
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
  }

  static async open(options: SiteOptions): Promise<ChatSite> {
    const site = new ChatSite(options);
    site.#server.listen(0, '127.0.0.1');
    await once(site.#server, 'listening');
    return site;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #policy(): string {
    const svc = this.#options.svc();
    return `default-src 'none'; script-src 'self' ${svc}; style-src 'self'; img-src blob:; connect-src 'self' ${svc}`;
  }

  async #answer({ pathname, searchParams }: URL): Promise<{ readonly type: string; readonly text: string }> {
    if (pathname === '/page.js') return { type: 'text/javascript', text: PAGE };
    if (pathname === '/token') return { type: 'text/plain', text: await this.#options.token(searchParams) };
    if (pathname === '/react.js') return { type: 'text/javascript', text: await reactPage() };
    if (searchParams.has('react'))
      return { type: 'text/html; charset=utf-8', text: REACT_FRAME.replace('SERVER', this.#options.svc()) };
    const mode = searchParams.get('mode') ?? 'inline';
    const chat = `<svc-chat mode="${mode}" heading="Help"></svc-chat>`;
    return {
      type: 'text/html; charset=utf-8',
      text: FRAME.replace('SERVER', this.#options.svc()).replace('CHAT', chat),
    };
  }
}
