import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { bundledProgram } from '../../tools/build/bundle.mjs';
import { widgetScript } from '../../tools/build/widget-script.mjs';

/**
 * A website with a chat in its corner, and an svc server on the demo model for it:
 *
 *   node examples/widget/start.mjs
 *
 * The interesting part for a site of your own is `chatToken`: what its server does for a visitor who opens the chat.
 */

const SITE_PORT = Number(process.env['SITE_PORT'] ?? 8080);
const SVC_PORT = Number(process.env['SVC_PORT'] ?? 7421);
const SITE = `http://127.0.0.1:${SITE_PORT}`;
const SVC = `http://127.0.0.1:${SVC_PORT}`;
/** Known to the two servers only, never to a page. */
const SERVER_TOKEN = randomUUID();
const NAMESPACE = 'default';
const AGENT = 'shop-assistant';

const folder = mkdtempSync(join(tmpdir(), 'svc-widget-example-'));
const svc = spawn(process.execPath, [await bundledProgram(), 'serve'], {
  stdio: ['ignore', 'ignore', 'inherit'],
  env: {
    ...process.env,
    SVC_SERVER_LISTEN: `127.0.0.1:${SVC_PORT}`,
    SVC_DATA_DIR: folder,
    SVC_TELEMETRY_LOG_LEVEL: 'warn',
    SVC_AUTH_MODE: 'token',
    SVC_AUTH_TOKEN: SERVER_TOKEN,
    // Pages of other sites are refused, whatever token they show.
    SVC_CORS_ORIGINS: SITE,
  },
});
svc.once('exit', () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(1);
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => svc.kill());

/** One call of the svc API with the rights of the site. */
async function call(path, body) {
  const answer = await fetch(`${SVC}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SERVER_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** The conversation of each visitor, by the cookie that the site gave it. A site of your own keeps this with its other data. */
const sessions = new Map();

/** A token for one visitor: for a quarter of an hour it opens the visitor's own conversation, and nothing else. */
async function chatToken(visitor) {
  if (!sessions.has(visitor)) {
    const { sessionId } = await call(`/v1/ns/${NAMESPACE}/agents/${AGENT}/sessions`, {});
    sessions.set(visitor, sessionId);
  }
  const grant = { role: 'operator', namespace: NAMESPACE, agent: AGENT, session: sessions.get(visitor) };
  const { accessToken } = await call('/v1/auth/tokens', {
    grants: [grant],
    ttlSeconds: 900,
    subjectSuffix: visitor,
  });
  return accessToken;
}

const script = await widgetScript();
const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');
const files = {
  '/': ['text/html', () => read('index.html').replace('%SERVER%', SVC)],
  '/page.css': ['text/css', () => read('page.css')],
  '/page.js': ['text/javascript', () => read('page.js')],
  '/svc-chat.js': ['text/javascript', () => script],
};
/** The strictest policy that a page with the chat can have; pictures in answers need `blob:`. */
const POLICY = `default-src 'none'; script-src 'self'; style-src 'self'; img-src blob:; connect-src 'self' ${SVC}`;

const site = createServer((request, response) => {
  respond(request, response).catch((error) => {
    process.stderr.write(`${error.stack}\n`);
    response.writeHead(500).end();
  });
});

async function respond(request, response) {
  const visitor = /visitor=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? randomUUID();
  // A page of another site must not open conversations in the name of a visitor.
  if (request.method === 'POST' && request.url === '/chat-token' && request.headers.origin === SITE) {
    const token = await chatToken(visitor);
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(JSON.stringify({ token }));
    return;
  }
  const [type, text] = (request.method === 'GET' && files[request.url]) || [];
  if (type === undefined) return void response.writeHead(404).end();
  response.writeHead(200, {
    'content-type': `${type}; charset=utf-8`,
    'content-security-policy': POLICY,
    'set-cookie': `visitor=${visitor}; HttpOnly; SameSite=Strict; Path=/`,
  });
  response.end(text());
}

const isReady = () =>
  fetch(`${SVC}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  );
while (!(await isReady())) await pause(100);
await call('/v1/manifests:apply', { text: read('agent.yaml'), ns: NAMESPACE });
site.listen(SITE_PORT, '127.0.0.1', () => process.stdout.write(`the site is at ${SITE}\n`));
