import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runScenario, type ScenarioContext } from './testing/conformance-client.ts';
import { clientPasses, clientVerdicts } from './testing/conformance-suite.ts';

const RELAY = fileURLToPath(new URL('./testing/conformance-relay.ts', import.meta.url));
const SLOW = { timeout: 240_000 };

const OWN_CREDENTIALS = 'an extension: svc has no credentials of its own at servers, people sign in';
const NOT_EXCHANGED = 'an extension: identities are not exchanged between authorization servers';
const NO_PKCE = 'authorization servers that do not say that they support PKCE are refused';
const NO_PROOFS = 'an extension: tokens are bearer tokens, no proof of a key goes with them';

/** Scenarios of the older suite that fail, and why. One that passes all the same fails the test. */
const FAILED_2025: Readonly<Record<string, string>> = {
  'auth/2025-03-26-oauth-metadata-backcompat': NO_PKCE,
  'auth/2025-03-26-oauth-endpoint-fallback': NO_PKCE,
  'auth/client-credentials-jwt': OWN_CREDENTIALS,
  'auth/client-credentials-basic': OWN_CREDENTIALS,
  'auth/cross-app-access-complete-flow': NOT_EXCHANGED,
};

/** It measures when the client comes back: run next to all others, it measures how busy the machine is. */
const ALONE = 'sse-retry';

/** The same for the scenarios of revision 2026-07-28, those that it does not require included. */
const FAILED_2026: Readonly<Record<string, string>> = {
  'auth/client-credentials-jwt': OWN_CREDENTIALS,
  'auth/client-credentials-basic': OWN_CREDENTIALS,
  'auth/enterprise-managed-authorization': NOT_EXCHANGED,
  'auth/dpop': NO_PROOFS,
  'auth/dpop-nonce': NO_PROOFS,
  'auth/wif-jwt-bearer': OWN_CREDENTIALS,
};

interface Order {
  readonly server: string;
  readonly context?: string;
}

/** The end of the scenario before: side by side they would measure how busy the machine is. */
let before: Promise<unknown> = Promise.resolve();

/** Runs what the command of the suite asks for; a scenario of which the client has to refuse something ends with an error. */
const relay = createServer(async (request, response) => {
  const { server, context = '{}' } = JSON.parse(await text(request)) as Order;
  const ran = before.then(() => runScenario(server, JSON.parse(context) as ScenarioContext));
  before = ran.catch(() => undefined);
  const status = await ran.then(
    () => 200,
    () => 500,
  );
  response.writeHead(status).end();
});
let command = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  command = `${process.execPath} ${RELAY} http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
});
afterAll(async () => {
  relay.closeAllConnections();
  await new Promise((resolve) => relay.close(resolve));
});

it('passes the scenarios of clients of the older suite but those that are listed with a reason', SLOW, async () => {
  const { passed, failed } = await clientVerdicts(command, '2025');
  expect(failed.filter((scenario) => scenario !== ALONE)).toEqual(Object.keys(FAILED_2025));
  expect(passed).toContain('elicitation-sep1034-client-defaults');
  expect(await clientPasses(command, ALONE)).toBe(true);
});

it('passes what revision 2026-07-28 requires of clients but what is listed with a reason', SLOW, async () => {
  const { passed, failed } = await clientVerdicts(command, '2026');
  expect(failed).toEqual(Object.keys(FAILED_2026));
  expect(passed).toContain('http-custom-headers');
});
