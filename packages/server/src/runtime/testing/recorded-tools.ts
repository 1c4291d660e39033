import { type Tool, type ToolContext, type ToolEffect, textResult } from '../../tools/contract.ts';
import type { RunRecord } from './run-record.ts';

/** Tools whose every run is noted; `slow` waits for `release`, `broken` throws, `guarded` needs a person's ALLOW. */
export class RecordedTools {
  readonly #record: RunRecord;
  readonly #waiting = new Set<() => void>();
  #isReleased = false;
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
      { ...this.#tool('guarded', 'external', async () => textResult('allowed')), capability: ASKING },
    ];
  }

  #tool(name: string, effect: ToolEffect, run: Tool['run']): Tool {
    const inputSchema = { type: 'object', properties: { n: { type: 'integer' } } };
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

/** Capability of `guarded`; the machine's agent has it with approval `ask`. */
const ASKING = { name: 'tasks', action: 'create' } as const;
