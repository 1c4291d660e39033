import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, inject } from 'vitest';
import { RestCaller } from '../../calls/index.ts';
import { ServerProcess } from '../../server-process/index.ts';
import { ChatPlatform, type Seeded, ShopSeed } from '../seed/index.ts';
import { type Look, Tab } from './tab.ts';

/** Who looks at the console; `guest` shows no credential. */
type Role = 'guest' | 'viewer' | 'operator' | 'admin';

const ADMIN_TOKEN = 'k7Qz1vX9pLm3Rt5Yw8Nb2Hc6Jd4Fg0Sa';
/** Where the console keeps the credential of a window. */
const CREDENTIAL = 'svc.credential';

/** A server with the seeded shop, and the browser of the project. One for all tests of a file. */
export class ShopInstance {
  #server: ServerProcess | undefined;
  #platform: ChatPlatform | undefined;
  #browser: Browser | undefined;
  /** By role; what was loaded for one page is there for the next. */
  readonly #contexts = new Map<Role, Promise<BrowserContext>>();
  readonly #environment: Readonly<Record<string, string>>;
  /** Those that the test opened, or what was run before it. */
  #tabs: Tab[] = [];
  #seeded: Seeded | undefined;

  private constructor(environment: Readonly<Record<string, string>>) {
    this.#environment = environment;
  }

  /** Runs from the first `beforeAll` of the file on; `environment` is further configuration of the server. */
  static ofSuite(environment: Readonly<Record<string, string>> = {}): ShopInstance {
    const instance = new ShopInstance(environment);
    beforeAll(() => instance.#start());
    afterEach(({ task }) => instance.#endTest(task.result?.state === 'fail'));
    afterAll(() => instance.#stop());
    return instance;
  }

  get url(): string {
    return given(this.#server).url;
  }

  /** The process, for tests that restart it. */
  get server(): ServerProcess {
    return given(this.#server);
  }

  get seeded(): Seeded {
    return given(this.#seeded);
  }

  /** The API as an admin calls it, for what a test does without the page. */
  get api(): RestCaller {
    return new RestCaller(this.url, { authorization: `Bearer ${ADMIN_TOKEN}` });
  }

  /** The token of an admin. */
  get adminToken(): string {
    return ADMIN_TOKEN;
  }

  /** A page that knows nothing of those before it but their files. The caller closes it. */
  async tab(role: Role, look: Look = {}): Promise<Tab> {
    const context = this.#contexts.get(role) ?? this.#context(role);
    this.#contexts.set(role, context);
    const page = await (await context).newPage();
    const tab = new Tab(page, this.url);
    this.#tabs.push(tab);
    await tab.look(look);
    return tab;
  }

  async #context(role: Role): Promise<BrowserContext> {
    const context = await given(this.#browser).newContext();
    const credential = this.#credentialOf(role);
    if (credential !== undefined)
      await context.addInitScript(([key, value]) => sessionStorage.setItem(key, value), [
        CREDENTIAL,
        JSON.stringify(credential),
      ] as const);
    return context;
  }

  #credentialOf(role: Role): object | undefined {
    if (role === 'guest') return undefined;
    if (role === 'admin') return { kind: 'token', token: ADMIN_TOKEN };
    return { kind: 'apiKey', apiKey: this.seeded.apiKeys[role] };
  }

  async #start(): Promise<void> {
    const auth = { SVC_AUTH_MODE: 'token', SVC_AUTH_TOKEN: ADMIN_TOKEN };
    const environment = { ...auth, SVC_NET_ALLOW: '127.0.0.1', ...this.#environment };
    this.#platform = await ChatPlatform.open();
    this.#server = await ServerProcess.start({ environment });
    this.#seeded = await new ShopSeed(this.url, ADMIN_TOKEN, this.#platform).plant();
    this.#browser = await chromium.connect(inject('browserEndpoint'));
  }

  /** Says of a failed test what its pages showed. */
  #endTest(hasFailed: boolean): void {
    if (hasFailed) for (const tab of this.#tabs) console.error(tab.lastSeen);
    this.#tabs = this.#tabs.filter(({ page }) => !page.isClosed());
  }

  async #stop(): Promise<void> {
    await this.#browser?.close();
    await this.#server?.[Symbol.asyncDispose]();
    await this.#platform?.[Symbol.asyncDispose]();
  }
}

const given = <T>(part: T | undefined): T => {
  if (part === undefined) throw new Error('the instance was not started');
  return part;
};
