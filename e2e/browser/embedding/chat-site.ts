import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';

/** What a page of the site has besides the chat. */
const FRAME = `<!doctype html><html lang="en"><head><title>A site</title><meta name="viewport" content="width=device-width">
<script src="/svc-chat.js" defer></script><script src="/page.js" defer></script></head>
<body><main><h1>A site</h1><p>Something to read.</p>CHAT</main></body></html>`;

/** The same site made with React. */
const REACT_FRAME = `<!doctype html><html lang="en"><head><title>A site</title><script src="/react.js" defer></script></head>
<body><div data-server="SERVER"></div></body></html>`;

/** The program of the script tag, as the build makes it. */
const chatScript = async (): Promise<string> => {
  const build = fileURLToPath(new URL('../../../tools/build/widget-script.mjs', import.meta.url));
  return (await promisify(execFile)(process.execPath, [build], { maxBuffer: 4 * 1024 * 1024 })).stdout;
};

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
  readonly #script: string;
  readonly #options: SiteOptions;

  private constructor(script: string, options: SiteOptions) {
    this.#script = script;
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
    const site = new ChatSite(await chatScript(), options);
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
    return `default-src 'none'; script-src 'self'; style-src 'self'; img-src blob:; connect-src 'self' ${this.#options.svc()}`;
  }

  async #answer({ pathname, searchParams }: URL): Promise<{ readonly type: string; readonly text: string }> {
    if (pathname === '/svc-chat.js') return { type: 'text/javascript', text: this.#script };
    if (pathname === '/page.js') return { type: 'text/javascript', text: PAGE };
    if (pathname === '/token') return { type: 'text/plain', text: await this.#options.token(searchParams) };
    if (pathname === '/react.js') return { type: 'text/javascript', text: await reactPage() };
    if (searchParams.has('react'))
      return { type: 'text/html; charset=utf-8', text: REACT_FRAME.replace('SERVER', this.#options.svc()) };
    const mode = searchParams.get('mode') ?? 'inline';
    const chat = `<svc-chat server="${this.#options.svc()}" mode="${mode}" heading="Help"></svc-chat>`;
    return { type: 'text/html; charset=utf-8', text: FRAME.replace('CHAT', chat) };
  }
}
