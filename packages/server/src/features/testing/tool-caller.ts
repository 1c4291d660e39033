import { ManualClock, silentLog } from '../../base/index.ts';
import { runTool } from '../../runtime/steps/tool-batch/index.ts';
import type { ToolContext, ToolGrants, ToolSupply, ToolTurn } from '../../tools/contract.ts';
import { createToolRegistry } from '../../tools/index.ts';

interface CallChange extends Partial<Omit<ToolContext, 'reach'>> {
  readonly capabilities?: Readonly<Record<string, readonly unknown[]>>;
}

const IDLE = new AbortController().signal;

/** Calls tools as a turn does: only those that are offered, with arguments that their schema allows. */
export class ToolCaller {
  readonly #registry;
  readonly #context: Omit<ToolContext, 'signal' | 'progress'>;
  readonly #features: ToolGrants['features'];
  #calls = 0;

  constructor(supply: ToolSupply, context: Partial<ToolContext> = {}, features: ToolGrants['features'] = []) {
    this.#features = features;
    this.#registry = createToolRegistry({ ...supply, log: silentLog });
    this.#context = {
      ...{ namespace: 'default', agent: 'helper', sessionId: 's1', turnId: 't1', callId: 'call', idempotencyKey: '' },
      ...{ identity: 'anna', lineage: [], reach: 'own', answers: [], nowMicros: 1_700_000_000_000_000 },
      ...context,
    };
  }

  /** Names of what an agent with these capabilities is offered. */
  async offered(
    capabilities: ToolGrants['capabilities'],
    context: Partial<ToolContext> = {},
  ): Promise<readonly string[]> {
    const offered = await this.#registry.offered(this.#turn(capabilities, { ...this.#context, ...context }));
    return offered.map(({ tool }) => tool.name);
  }

  /** The JSON value of the result; of a failure as the model reads it. Each call has an idempotency key of its own unless given. */
  // biome-ignore lint/suspicious/noExplicitAny: tests pick what they look at
  async call(name: string, input: object, change: CallChange = {}): Promise<any> {
    const { capabilities = {}, ...rest } = change;
    const context = { ...this.#context, idempotencyKey: `key-${this.#calls++}`, ...rest };
    const offered = await this.#registry.offered(this.#turn(capabilities, context));
    const found = offered.find(({ tool }) => tool.name === name);
    if (found === undefined) return { ok: false, code: 'not offered' };
    const problems = this.#registry.validate(found.tool, input);
    if (problems.length > 0) return { ok: false, code: 'invalid_arguments', error: problems.join('; ') };
    const outcome = await runTool(
      found.tool,
      { ...context, reach: found.reach, ...(found.narrower === undefined ? {} : { narrower: found.narrower }) },
      {
        input: input as Readonly<Record<string, unknown>>,
        options: { timeoutMs: 60_000, signal: IDLE, clock: new ManualClock() },
      },
    );
    if (outcome.end === 'waiting') throw new Error('the call waits');
    if (outcome.end === 'failed' && outcome.result.structured === undefined) throw outcome.error;
    return outcome.result.structured;
  }

  #turn(capabilities: ToolGrants['capabilities'], context: Omit<ToolContext, 'signal' | 'progress'>): ToolTurn {
    const { namespace, agent, sessionId, turnId, identity, lineage } = context;
    const grants = { namespace, agent, capabilities, features: this.#features, mcpServers: [], connections: [] };
    return { grants, sessionId, turnId, identity, lineage, openCalls: [], sessionLabels: {}, signal: IDLE };
  }
}
