import { type Tool, type ToolContext, type ToolEffect, type ToolWait, textResult } from '../../tools/contract.ts';
import type { RunRecord } from './run-record.ts';

/**
 * Tools whose every run is noted; `slow` waits for `release`, `broken` throws, `guarded` needs a person's ALLOW, `inquire` asks a person
 * for a city, `enter` asks for a sign-in, `expect` waits for an event of `happened`. `survey` and `watch` do as `inquire` and `expect` but only
 * read, so that they run together; `confirm` waits for an event and then asks a person; `permitted` needs an ALLOW as well before it asks.
 */
export class RecordedTools {
  readonly #record: RunRecord;
  readonly #waiting = new Set<() => void>();
  #isReleased = false;
  /** Events outside that took place; they outlive every process. */
  readonly happened = new Set<string>();
  /** Called with the name when a run begins. */
  onRun: (name: string) => void = () => undefined;

  constructor(record: RunRecord) {
    this.#record = record;
  }

  release(): void {
    this.#isReleased = true;
    for (const go of [...this.#waiting]) go();
  }

  hold(): void {
    this.#isReleased = false;
  }

  list(): Tool[] {
    return [
      this.#tool('look', 'read', async () => textResult('seen')),
      this.#tool('peek', 'read', async () => textResult('peeked')),
      this.#tool('put', 'write', async () => textResult('written')),
      this.#tool('slow', 'read', (context) => this.#slow(context)),
      this.#tool('slow_put', 'write', (context) => this.#slow(context)),
      this.#tool('large', 'read', async () => textResult('x'.repeat(6000))),
      this.#tool('broken', 'read', () => Promise.reject(new Error('secret detail'))),
      this.#tool('inquire', 'external', async (context) => inquire(context)),
      this.#tool('enter', 'external', async (context) => enter(context)),
      this.#tool('expect', 'external', async (context, input) => this.#expect(context, String(input['name']))),
      this.#tool('survey', 'read', async (context) => inquire(context)),
      this.#tool('watch', 'read', async (context, input) => this.#expect(context, String(input['name']))),
      this.#tool('confirm', 'external', async (context) =>
        this.happened.has('rain') ? inquire(context) : this.#expect(context, 'rain'),
      ),
      { ...this.#tool('permitted', 'read', async (context) => inquire(context)), capability: ASKING },
      { ...this.#tool('guarded', 'external', async () => textResult('allowed')), capability: ASKING },
    ];
  }

  #expect({ waited, nowMicros }: ToolContext, name: string): Awaited<ReturnType<Tool['run']>> {
    if (this.happened.has(name)) return textResult(`${name} happened`);
    if (waited?.endedBy === 'steering') return textResult(`${name} was not waited for`);
    const untilMicros = waited?.untilMicros ?? nowMicros + EXPECT_MICROS;
    return untilMicros <= nowMicros ? textResult(`${name} did not happen`) : { wait: 'event', key: name, untilMicros };
  }

  #tool(name: string, effect: ToolEffect, run: Tool['run']): Tool {
    const inputSchema = { type: 'object', properties: { n: { type: 'integer' }, name: { type: 'string' } } };
    return {
      name,
      description: name,
      inputSchema,
      effect,
      run: (context, input) => {
        this.#record.toolRan(name, context);
        this.onRun(name);
        return run(context, input);
      },
    };
  }

  async #slow(context: ToolContext) {
    if (!this.#isReleased) {
      await new Promise<void>((resolve, reject) => {
        const go = (): void => {
          this.#waiting.delete(go);
          resolve();
        };
        this.#waiting.add(go);
        context.signal.addEventListener('abort', () => {
          this.#waiting.delete(go);
          reject(new Error('aborted'));
        });
      });
    }
    return textResult('finished');
  }
}

/** How long `expect` waits. */
const EXPECT_MICROS = 60_000_000;

const CITY: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
};

const inquire = ({ answers }: ToolContext): ToolWait | ReturnType<typeof textResult> => {
  const answer = answers.find(({ key }) => key === 'city');
  if (answer === undefined)
    return { wait: 'person', question: { key: 'city', kind: 'input', prompt: 'Which city?', schema: CITY } };
  return textResult(`${answer.decision} ${JSON.stringify(answer.value ?? null)}`);
};

const enter = ({ answers }: ToolContext): ToolWait | ReturnType<typeof textResult> => {
  const [answer] = answers;
  if (answer === undefined)
    return { wait: 'person', question: { key: 'in', kind: 'sign_in', prompt: 'Sign in', url: 'https://door.test/' } };
  return textResult(`${answer.decision} ${answer.comment}`);
};

/** Capability of `guarded` and `permitted`; the machine's agent has it with approval `ask`. */
const ASKING = { name: 'tasks', action: 'create' } as const;
