import { pauseFor } from '../../live/pause-for.ts';
import { texts } from '../texts.ts';
import type { TokenAnswer } from './token-rules.ts';

/** Where a provider signs people in and hands out tokens (OpenID Connect Discovery 1.0, section 3). */
export interface ProviderAddresses {
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
}

/** A provider that has not answered by then counts as away. */
const ANSWER_MS = 20_000;

/** Fails with a text for people when the provider is away, refuses, or answers something else. */
export const discover = async (issuer: string): Promise<ProviderAddresses> => {
  const found = await answerOf(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  const { authorization_endpoint, token_endpoint } = found;
  // Another provider would get the code, or the person would sign in there without a word about it (section 4.3).
  if (found['issuer'] !== issuer) throw new Error(texts.providerOther(issuer));
  if (typeof authorization_endpoint !== 'string' || typeof token_endpoint !== 'string')
    throw new Error(texts.providerUnclear(issuer));
  return { authorization_endpoint, token_endpoint };
};

/** Asks a token endpoint (RFC 6749, section 4.1.3 and 6), as a public client. Fails like `discover`. */
export const askForTokens = async (endpoint: string, form: Readonly<Record<string, string>>): Promise<TokenAnswer> => {
  const found = await answerOf(endpoint, { method: 'POST', body: new URLSearchParams(form) });
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  return {
    access_token: text(found['access_token']),
    id_token: text(found['id_token']),
    refresh_token: text(found['refresh_token']),
  };
};

/** Thrown for what a provider refuses, as opposed to one that is away. */
export class ProviderRefusal extends Error {}

const answerOf = async (address: string, init: RequestInit = {}): Promise<Readonly<Record<string, unknown>>> => {
  const { origin } = new URL(address);
  const stop = new AbortController();
  const late = pauseFor(ANSWER_MS, stop.signal).then(() => stop.abort());
  try {
    const answer = await fetch(address, {
      ...init,
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      signal: stop.signal,
    });
    const body: unknown = await answer.json();
    const said = typeof body === 'object' && body !== null ? { ...body } : {};
    if (!answer.ok)
      throw new ProviderRefusal(texts.providerRefused(origin, refusalText(said) ?? String(answer.status)));
    return said;
  } catch (cause) {
    if (cause instanceof ProviderRefusal) throw cause;
    throw new Error(texts.providerAway(origin), { cause });
  } finally {
    stop.abort();
    await late;
  }
};

/** What a provider says of a refusal, in an answer or in the address that it sends the person back to. */
export const refusalText = (said: Readonly<Record<string, unknown>>): string | undefined => {
  const { error, error_description: description } = said;
  if (typeof error !== 'string') return undefined;
  return typeof description === 'string' && description !== '' ? `${description} (${error})` : error;
};
