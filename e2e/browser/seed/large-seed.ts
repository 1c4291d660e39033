import type { RestCaller } from '../../calls/index.ts';

/** What tests need to know of the things of which there are many. */
export interface Planted {
  /** Session of the agent `support` with 500 messages of 20 parts each, `Part 0` to `Part 9999`. */
  readonly session: string;
  /** Finished run of the workflow `long`, whose 500 steps `step-0` to `step-499` follow one another. */
  readonly run: string;
}

const MESSAGES = 500;
const PARTS = 20;
const STEPS = 500;
const CHANNELS = 10_000;
const DOCUMENTS = 500;

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** Plants in the shop that is there already: 10,000 channels, a session of 10,000 parts and a run of 500 steps. */
export class LargeSeed {
  readonly #api: RestCaller;

  constructor(api: RestCaller) {
    this.#api = api;
  }

  async plant(): Promise<Planted> {
    const [session, run] = await Promise.all([this.#converse(), this.#run(), this.#openChannels()]);
    return { session, run };
  }

  async #openChannels(): Promise<void> {
    const manifest = (index: number): string => {
      const name = `room-${String(index).padStart(4, '0')}`;
      return JSON.stringify({ kind: 'Channel', metadata: { name, namespace: 'shop' }, spec: {} });
    };
    for (let from = 0; from < CHANNELS; from += DOCUMENTS)
      await this.#apply(range(DOCUMENTS).map((at) => manifest(from + at)));
  }

  async #apply(manifests: readonly string[]): Promise<void> {
    await this.#api.ok('POST /v1/manifests:apply', { ns: 'shop', text: manifests.join('\n---\n') });
  }

  async #converse(): Promise<string> {
    const sessions = '/v1/ns/shop/agents/support/sessions';
    const { session } = await this.#api.ok<{ session: { metadata: { name: string } } }>(`POST ${sessions}`, {});
    const id = session.metadata.name.split('/').at(-1) ?? '';
    for (const message of range(MESSAGES)) {
      const parts = range(PARTS).map((part) => ({
        partType: 'SESSION_MESSAGE_PART_TYPE_TEXT',
        content: `Part ${message * PARTS + part}`,
      }));
      const role = message % 2 === 0 ? 'ROLE_USER' : 'ROLE_ASSISTANT';
      await this.#api.ok(`POST ${sessions}/${id}/messages:append`, { message: { role, parts } });
    }
    return id;
  }

  async #run(): Promise<string> {
    const steps = range(STEPS).map((step) => ({
      id: `step-${step}`,
      type: 'transform',
      input: { step },
      after: step === 0 ? [] : [`step-${step - 1}`],
    }));
    await this.#apply([
      JSON.stringify({ kind: 'Workflow', metadata: { name: 'long', namespace: 'shop' }, spec: { steps } }),
    ]);
    const { run } = await this.#api.ok<{ run: { id: string } }>('POST /v1/ns/shop/workflows/long/runs', {
      inputJson: '{}',
      waitSeconds: 30,
    });
    return run.id;
  }
}
