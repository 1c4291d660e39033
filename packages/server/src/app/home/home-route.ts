import type { HttpRoute } from '../../transport/contract.ts';
import { contentPolicy, homePage } from './home-page.ts';

export interface HomeFacts {
  readonly version: string;
  /** Callers need a credential: the page then says nothing of what runs here. */
  readonly needsCredential: boolean;
  /** `http` or `https`. */
  readonly scheme: string;
  /** Where callers reach the server from outside; '' when it is not configured. */
  readonly publicUrl: string;
  /** What everyone on this machine may know, by label, in the order in which it is shown. */
  readonly running: () => Readonly<Record<string, string>>;
}

/** A host as browsers send it; anything else is not repeated on a page. */
const HOST = /^[\w.-]+(?::\d{1,5})?$|^\[[0-9a-fA-F:.]+\](?::\d{1,5})?$/;

const FALLBACK = 'http://127.0.0.1:7420';

/** `GET /`, which needs no credential. */
export const homeRoute = (facts: HomeFacts): HttpRoute => ({
  method: 'GET',
  pattern: '/',
  authenticated: false,
  handle: async (exchange) => {
    const host = exchange.header('host') ?? exchange.header(':authority') ?? '';
    const own = HOST.test(host) ? `${facts.scheme}://${host}` : FALLBACK;
    const page = homePage({
      version: facts.version,
      needsCredential: facts.needsCredential,
      url: facts.publicUrl === '' ? own : facts.publicUrl,
      running: facts.needsCredential ? {} : facts.running(),
    });
    exchange.answer(200, HEADERS, page);
  },
});

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': contentPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};
