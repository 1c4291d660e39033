import type { HttpRoute } from '../../operations/index.ts';
import { contentPolicy, homePage } from './home-page.ts';

export interface HomeFacts {
  readonly version: string;
  /** Callers need a credential: the page then shows nothing about this server. */
  readonly needsCredential: boolean;
  /** Where callers reach the server, without a trailing slash; known once it listens. */
  readonly url: () => string;
  /** What everyone on this machine may see, by label, in the order of the page. */
  readonly running: () => Readonly<Record<string, string>>;
}

/** `GET /`, which needs no credential. */
export const homeRoute = (facts: HomeFacts): HttpRoute => ({
  method: 'GET',
  pattern: '/',
  authenticated: false,
  handle: async (exchange) => {
    const page = homePage({
      version: facts.version,
      needsCredential: facts.needsCredential,
      url: facts.url(),
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
