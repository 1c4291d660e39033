import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A delivery as the service got it. */
interface Delivered {
  readonly deliveryId: string;
  readonly connectorName: string;
  readonly externalConversationId: string;
  readonly externalThreadId?: string;
  readonly replyToExternalMessageId?: string;
  readonly text: string;
}

/**
 * What the service does with an attempt. `take` is what a healthy one does; `refuse` answers 500 and has not taken it; all others have taken it,
 * and their answer is lost: `fail` answers 500, `hang` nothing at all, a function is called and nothing is answered.
 */
export type Treatment = 'take' | 'refuse' | 'fail' | 'hang' | (() => void);

/** Takes each delivery once, by its id, and answers copies of it as duplicates. */
export class ConnectorService implements AsyncDisposable {
  /** Every attempt, in the order in which they came. */
  readonly attempts: Delivered[] = [];
  /** What was taken: what people on the platform read. */
  readonly taken: Delivered[] = [];
  /** What to do with the next attempts; afterwards `take`. */
  readonly treatments: Treatment[] = [];
  /** Called once, when the answer that a delivery was taken has been sent. */
  onAnswered: (() => void) | undefined;
  /** What events are sent with, of the newest registration. */
  secret = '';
  readonly #http = createServer(async (request, response) => {
    const body = await json(request);
    if (request.url === '/v1/clusters/register') {
      this.secret = (body as { readonly callbackAuthKey: string }).callbackAuthKey;
      return answer(response, 200, {});
    }
    this.#deliver(body as Delivered, response);
  });

  static async start(): Promise<ConnectorService> {
    const service = new ConnectorService();
    await new Promise<void>((resolve) => service.#http.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  #deliver(delivery: Delivered, response: ServerResponse): void {
    this.attempts.push(delivery);
    const treatment = this.treatments.shift() ?? 'take';
    if (treatment === 'refuse') return answer(response, 500, { error: 'not now' });
    const isCopy = this.taken.some(({ deliveryId }) => deliveryId === delivery.deliveryId);
    if (!isCopy) this.taken.push(delivery);
    if (treatment === 'hang') return;
    if (treatment === 'fail') return answer(response, 500, { error: 'lost' });
    if (typeof treatment === 'function') return treatment();
    response.once('finish', this.onAnswered ?? (() => undefined));
    this.onAnswered = undefined;
    answer(
      response,
      200,
      isCopy ? { accepted: false, disposition: 'duplicate' } : { accepted: true, disposition: 'accepted' },
    );
  }
}

const answer = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};
