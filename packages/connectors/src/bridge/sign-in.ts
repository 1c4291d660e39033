import type { ConnectorHost } from '../kit/index.ts';

interface SignInOptions {
  readonly attempt: () => Promise<void>;
  readonly host: Pick<ConnectorHost, 'log' | 'reportStatus'>;
  /** Ends early when the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Aborted when the connector stops. */
  readonly stopping: AbortSignal;
}

const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 60_000;

/** Signs in to a platform: at the start, and again until it works. */
export class SignIn {
  readonly #options: SignInOptions;
  #isDone = false;

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** Throws when the first attempt fails; further ones follow by themselves. */
  async start(): Promise<void> {
    try {
      await this.#attempt();
    } catch (error) {
      void this.#repeat();
      throw error;
    }
  }

  async #repeat(): Promise<void> {
    const { host, stopping, wait } = this.#options;
    for (let delayMs = FIRST_RETRY_MS; ; delayMs = Math.min(2 * delayMs, LAST_RETRY_MS)) {
      await wait(delayMs, stopping);
      if (stopping.aborted) return;
      try {
        await this.#attempt();
        return host.reportStatus('connected', '');
      } catch (error) {
        host.log.warn('signing in to the platform failed and is tried again', { error });
      }
    }
  }

  async #attempt(): Promise<void> {
    await this.#options.attempt();
    this.#isDone = true;
  }
}
