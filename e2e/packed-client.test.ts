// @service chromium
// @service node20
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join, normalize } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RestCaller } from './calls/index.ts';
import { buildPackages, installPackages } from './installed/index.ts';
import { ServerProcess } from './server-process/index.ts';

const run = promisify(execFile);
const chromium = process.env['SVC_SERVICE_CHROMIUM'];
const compiler = fileURLToPath(new URL('../node_modules/.bin/tsc', import.meta.url));

/** A Node.js of version 20 on the search path. */
const node20 =
  process.env['SVC_SERVICE_NODE20'] ??
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'node'))
    .find((path) => existsSync(path) && /^v20\./.test(spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout));

/** Asks an agent and resolves with its answer: what the README of the client shows, in plain JavaScript. */
const conversation = `
  import { createClient, isSvcError } from '@svc/client';
  export const converse = async (baseUrl) => {
    const svc = createClient({ baseUrl });
    const session = await svc.createSession({ ns: 'default', agent: 'parrot' });
    let text = '';
    for await (const event of session.ask('hello there')) text += event.part?.content ?? '';
    const missing = await svc.gateway.getAgent({ ns: 'default', name: 'nobody' }).catch((error) => error);
    return text + ' | ' + (isSvcError(missing) && missing.reason);
  };
`;
const expected = 'You said: hello there | AGENT_NOT_FOUND';

let folder: string;
let server: ServerProcess;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-packed-client-'));
  await installPackages(join(folder, 'app'), await buildPackages(join(folder, 'build'), ['api', 'client']));
  writeFileSync(join(folder, 'app', 'conversation.mjs'), conversation);
  server = await ServerProcess.start();
  await new RestCaller(server.url).createAgent('parrot');
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

describe('the packed client', () => {
  it.skipIf(node20 === undefined)('holds a conversation from Node.js 20', async () => {
    const program = `import { converse } from './conversation.mjs'; console.log(await converse('${server.url}'));`;
    const { stdout } = await run(node20 ?? '', ['--input-type=module', '--eval', program], {
      cwd: join(folder, 'app'),
    });
    expect(stdout).toBe(`${expected}\n`);
  });

  it('has types that a strict TypeScript project compiles against', async () => {
    const source = `
      import { createClient, type Client, textOf } from '@svc/client';
      import type { Agent } from '@svc/api/resources';
      const svc: Client = createClient({ baseUrl: 'http://127.0.0.1:1' });
      export const agent = async (): Promise<Agent | undefined> => (await svc.gateway.getAgent({ ns: 'a', name: 'b' })).agent;
      // @ts-expect-error the name of a field that does not exist
      export const wrong = svc.gateway.getAgent({ namespace: 'a' });
      export const text: typeof textOf = textOf;`;
    const target = join(folder, 'app', 'types');
    mkdirSync(target);
    writeFileSync(join(target, 'use.ts'), source);
    const options = [
      '--ignoreConfig',
      '--strict',
      '--noEmit',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--lib',
      'es2023,dom',
    ];
    const { status, stdout } = spawnSync(compiler, [...options, join(target, 'use.ts')], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, '']);
  });

  it.skipIf(chromium === undefined)('holds a conversation from a page in a browser, without a bundler', async () => {
    await using site = await Site.start(join(folder, 'app'), server.url);
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${join(folder, 'profile')}`];
    const browser = spawn(chromium ?? '', [...flags, site.url], { stdio: 'ignore', detached: true });
    const gone = once(browser, 'exit');
    expect(await site.reported).toBe(expected);
    // The program may be a script that starts the browser: both are its process group.
    process.kill(-(browser.pid ?? Number.NaN), 'SIGKILL');
    await gone;
  });
});

/** Serves files of the project and a page that imports the client by an import map, as any static site can. */
class Site implements AsyncDisposable {
  readonly #report = Promise.withResolvers<string>();
  readonly #server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://site');
    const path = normalize(pathname);
    if (path === '/report') {
      this.#report.resolve(searchParams.get('text') ?? '');
      response.end();
    } else if (path === '/') response.writeHead(200, { 'content-type': 'text/html' }).end(this.#page);
    else if (!path.endsWith('js')) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'text/javascript' }).end(readFileSync(join(this.#root, path)));
  });
  readonly #root: string;
  readonly #page: string;

  private constructor(root: string, api: string) {
    this.#root = root;
    const imports = Object.fromEntries(
      ['@svc/client', '@svc/api', '@bufbuild/protobuf'].flatMap((name) => addresses(root, name)),
    );
    this.#page = `<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script>
      <script type="module">
        const report = (text) => fetch('/report?text=' + encodeURIComponent(text));
        addEventListener('unhandledrejection', ({ reason }) => report(String(reason)));
        import('/conversation.mjs').then(({ converse }) => converse('${api}')).then(report, (error) => report(String(error)));
      </script>`;
  }

  static async start(root: string, api: string): Promise<Site> {
    const site = new Site(root, api);
    site.#server.listen(0, '127.0.0.1');
    await once(site.#server, 'listening');
    return site;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** What the page says came of it. */
  get reported(): Promise<string> {
    return this.#report.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Entries of an import map for all exports of an installed package. */
const addresses = (root: string, name: string): readonly (readonly [string, string])[] => {
  const { exports } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
  return Object.entries(exports as Record<string, string | Record<string, string>>).flatMap(([entry, target]) => {
    const file = typeof target === 'string' ? target : (target['import'] ?? target['default']);
    return file === undefined ? [] : [[join(name, entry), join('/node_modules', name, file)] as const];
  });
};
