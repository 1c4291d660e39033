import type { HttpRoute } from '../../operations/index.ts';
import { contentPolicy, homePage } from './home-page.ts';

export interface HomeFacts {
  readonly version: string;
  /** Callers need a credential: the page then says nothing of what runs here. */
  readonly needsCredential: boolean;
  /** Where callers reach the server, without a slash at the end; known once it listens. */
  readonly url: () => string;
  /** What everyone on this machine may know, by label, in the order in which it is shown. */
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
