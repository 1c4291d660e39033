import { type Clock, Fault } from '../../base/index.ts';

/** How long an answer of a service may take. */
const ANSWER_MS = 60_000;
/** Of the service's own words. */
const WORDS_CHARS = 300;

/** What an error of a client means. */
export type ErrorMeaning = 'gone' | 'refused' | 'other';

export interface CallDeps {
  /** What the service is called in errors. */
  readonly title: string;
  readonly clock: Pick<Clock, 'after'>;
  readonly meaningOf: (error: unknown) => ErrorMeaning;
}

const unavailable = (message: string, cause?: unknown): Fault =>
  new Fault('UNAVAILABLE', 'SANDBOX_PROVIDER', message, { cause });

/** A sandbox that the service no longer has. */
const lost = (cause?: unknown): Fault => new Fault('UNAVAILABLE', 'SANDBOX_LOST', 'the sandbox is gone', { cause });

/** Calls of a service: each ends in time, and its failures are Faults that say what to do or what the service said. */
export class ServiceCalls {
  readonly #deps: CallDeps;

  constructor(deps: CallDeps) {
    this.#deps = deps;
  }

  /** Asks for something; what is gone is a Fault SANDBOX_LOST. */
  async ask<T>(what: string, work: () => Promise<T>, timeoutMs = ANSWER_MS): Promise<T> {
    const { title, clock } = this.#deps;
    const { promise: isLate, reject } = Promise.withResolvers<never>();
    const cancel = clock.after(timeoutMs, () =>
      reject(unavailable(`${title} did not answer within ${timeoutMs / 1_000} s`)),
    );
    try {
      return await Promise.race([work(), isLate]);
    } catch (error) {
      throw this.faultOf(what, error);
    } finally {
      cancel();
    }
  }

  /** Asks for something that may not be there: undefined. */
  async find<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await this.ask(what, work);
    } catch (error) {
      if (error instanceof Fault && error.reason === 'SANDBOX_LOST') return undefined;
      throw error;
    }
  }

  /** The Fault that an error of the client stands for. */
  faultOf(what: string, error: unknown): Fault {
    if (error instanceof Fault) return error;
    const { title, meaningOf } = this.#deps;
    const meaning = meaningOf(error);
    if (meaning === 'gone') return lost(error);
    if (meaning === 'refused')
      return unavailable(`${title} refused the credentials: see credentials.apiKey of the sandbox class`, error);
    const words = error instanceof Error ? error.message.trim().slice(0, WORDS_CHARS) : 'the connection broke';
    return unavailable(`${title} could not ${what}: ${words}`, error);
  }
}

/** Loads the client of a service; a package that is absent is a Fault that says how to install it. */
export const loadClient = async <T>(name: string, load: () => Promise<T>): Promise<T> => {
  try {
    return await load();
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw unavailable(
      `the client of this provider is not installed: run "npm install ${name}" where svc is installed, and restart it`,
      error,
    );
  }
};
