import { type Client, type ClientAnswer, isSvcError } from '@svc/client';
import type { Host } from '../host.ts';
import { type Check, fail, ok, warn } from './check.ts';

const ANSWER_MS = 3_000;
/** Tokens expire by the clock; with a larger difference sign-ins start to fail. */
const SKEW_MS = 30_000;

/** What can be seen of a server from outside: alive, ready, its clock. Undefined when no server answers. */
export const checkServer = async (
  host: Host,
  address: string,
): Promise<{ readonly checks: readonly Check[]; readonly isUp: boolean }> => {
  let response: ClientAnswer;
  try {
    response = await host.ask(`${address}/readyz`, {
      method: 'GET',
      headers: {},
      signal: AbortSignal.timeout(ANSWER_MS),
    });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { isUp: false, checks: [warn('server', `no server answers at ${address}`, 'start one with svc up')] };
  }
  const body = await response.text();
  const ready =
    response.status === 200 ? ok('server', `${address} is ready`) : notReady(response.status, { address, body });
  const skew = clockSkew(host, response.headers.get('date'));
  return { isUp: response.status === 200 || response.status === 503, checks: [ready, ...skew] };
};

const notReady = (status: number, facts: { readonly address: string; readonly body: string }): Check => {
  if (status === 503)
    return fail(
      'server',
      `${facts.address} is not ready: ${facts.body.trim().slice(0, 200)}`,
      'read the log of the server',
    );
  return fail(
    'server',
    `${facts.address} answers ${status} and is not an svc server`,
    'choose the right address with --server',
  );
};

const clockSkew = (host: Host, date: string | null): readonly Check[] => {
  if (date === null) return [];
  // The header has whole seconds.
  const skewMs = Math.max(0, Math.abs(Date.parse(date) - host.nowMs()) - 1_000);
  const text = `the clocks differ by ${Math.round(skewMs / 1_000)} s`;
  return [skewMs > SKEW_MS ? warn('clock', text, 'synchronise the clocks (NTP)') : ok('clock', text)];
};

/** What the server says about this caller, and its own checks, if it has them. */
export const checkFromInside = async (client: Client, isOnline: boolean): Promise<readonly Check[]> => {
  const checks: Check[] = [];
  try {
    const who = await client.auth.whoAmI({});
    checks.push(ok('sign-in', `${who.subject} by ${who.mode}`));
  } catch (error) {
    if (!isSvcError(error)) throw error;
    if (error.code === 'UNIMPLEMENTED') checks.push(ok('sign-in', 'the server does not report it'));
    else checks.push(fail('sign-in', `${error.message} (${error.reason})`, 'svc login'));
  }
  try {
    const { checks: own } = await client.admin.runDoctor({ online: isOnline });
    checks.push(
      ...own.map(({ name, result, detail, remedy }) => ({
        name: `server ${name}`,
        result: resultOf(result),
        detail,
        remedy,
      })),
    );
  } catch (error) {
    if (!isSvcError(error)) throw error;
    if (error.code !== 'UNIMPLEMENTED' && error.code !== 'PERMISSION_DENIED' && error.code !== 'UNAUTHENTICATED') {
      checks.push(warn('server checks', `${error.message} (${error.reason})`, 'read the log of the server'));
    }
  }
  return checks;
};

const resultOf = (word: string): Check['result'] => {
  if (word === 'ok') return 'ok';
  return word === 'fail' ? 'fail' : 'warn';
};
