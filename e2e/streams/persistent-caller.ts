import { setTimeout as pause } from 'node:timers/promises';
import { type RestAnswer, RestCaller, type Sent, type SessionKey } from '../calls/index.ts';
import type { SeededRandom } from '../transports/plan/index.ts';

const RETRY_MS = 100;
const MAX_TRIES = 600;
/** Longer than any failure of a test lasts: a wait that ends without its turn missed the end. */
const WAIT_SECONDS = 60;
const TERMINAL = new Set(['TURN_STATE_COMPLETED', 'TURN_STATE_FAILED', 'TURN_STATE_STOPPED']);

/** Sends messages until they are acknowledged, through whichever node answers. */
export class PersistentCaller {
  readonly #urls: readonly string[];
  readonly #random: SeededRandom;
  /** Answers that no failure around a caller explains. */
  readonly violations: string[] = [];

  constructor(urls: readonly string[], random: SeededRandom) {
    this.#urls = urls;
    this.#random = random;
  }

  /** Each message is one turn, however often it has to be sent. */
  async send(session: SessionKey, message: string, key: string): Promise<void> {
    const waitSeconds = this.#random.chance(50) ? WAIT_SECONDS : 0;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const answer = await this.#try(session, { message, waitSeconds }, key);
      if (answer?.status === 200) {
        const isMissed = waitSeconds > 0 && !TERMINAL.has(answer.body.turnState);
        if (isMissed) this.violations.push(`${key}: the wait ended with the turn ${answer.body.turnState}`);
        return;
      }
      if (answer !== undefined && answer.status < 503 && answer.status !== 429 && answer.status !== 409)
        this.violations.push(`${key}: ${answer.status} ${JSON.stringify(answer.body)}`);
      await pause(RETRY_MS);
    }
    throw new Error(`${key} was not acknowledged after ${MAX_TRIES} tries`);
  }

  async #try(session: SessionKey, body: object, key: string): Promise<RestAnswer<Sent> | undefined> {
    const rest = new RestCaller(this.#random.pick(this.#urls));
    const what = `POST ${rest.sessionPath(...session)}/message`;
    return rest.call<Sent>(what, body, { 'idempotency-key': key }).catch(() => undefined);
  }
}
