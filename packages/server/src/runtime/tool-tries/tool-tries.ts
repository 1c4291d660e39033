import type { Clock, Log } from '../../base/index.ts';
import { errorResult, type ToolContext, type ToolRegistry, type ToolTurn } from '../../tools/contract.ts';
import {
  noMeter,
  type ToolAsker,
  type ToolTries,
  type ToolTry,
  type ToolTryOutcome,
  type TurnMeter,
} from '../contract.ts';
import { grantsOf } from '../steps/index.ts';
import { failureFields, runTool } from '../steps/tool-batch/index.ts';

interface ToolTriesDeps {
  readonly tools: Pick<ToolRegistry, 'judged' | 'validate'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  /** Absent: nothing is counted. */
  readonly meter?: TurnMeter;
}

const PROBLEMS_MAX = 5;
/** There is no session: no tool that needs one is called. */
const NO_SESSION = '';

/** Lists and runs tools without a turn. */
export const createToolTries = (deps: ToolTriesDeps): ToolTries => ({
  tools: (asker, calling) => deps.tools.judged(turnOf(asker, calling)),
  problems: ({ tool }, input) => deps.tools.validate(tool, input).slice(0, PROBLEMS_MAX),
  run: (call) => runTry(deps, call),
});

const turnOf = ({ agent, identity, signal }: ToolAsker, calling: string | undefined): ToolTurn => ({
  grants: grantsOf(agent),
  sessionId: NO_SESSION,
  sessionLabels: {},
  turnId: '',
  identity,
  lineage: [],
  openCalls: calling === undefined ? [] : [calling],
  signal,
});

const runTry = async ({ clock, log, meter }: ToolTriesDeps, call: ToolTry): Promise<ToolTryOutcome> => {
  const { offer, input, timeoutMs, signal } = call;
  const { tool } = offer;
  const late = new AbortController();
  const cancel = clock.after(timeoutMs, () => late.abort());
  const startedMs = clock.monotonicMs();
  const options = { timeoutMs, clock, signal: AbortSignal.any([signal, late.signal]) };
  const outcome = await runTool(tool, contextOf(call, clock.nowMicros()), { input, options });
  cancel();
  (meter ?? noMeter).toolRan(tool.name, outcome.end, clock.monotonicMs() - startedMs);
  if (outcome.end === 'waiting') return { wait: outcome.wait };
  if (outcome.end === 'failed') {
    const { namespace, name: agent } = call.agent;
    log.warn('tool failed', { namespace, agent, try: call.callId, tool: tool.name, ...failureFields(outcome.error) });
  }
  if (outcome.end === 'stopped' && late.signal.aborted)
    return { result: errorResult(tool.name, 'timeout', `no result within ${timeoutMs / 1_000} s`, true) };
  return { result: outcome.result };
};

const contextOf = (
  { agent, identity, offer, callId }: ToolTry,
  nowMicros: number,
): Omit<ToolContext, 'signal' | 'progress'> => ({
  namespace: agent.namespace,
  agent: agent.name,
  sessionId: NO_SESSION,
  turnId: callId,
  callId,
  idempotencyKey: callId,
  identity,
  lineage: [],
  reach: offer.reach,
  ...(offer.narrower === undefined ? {} : { narrower: offer.narrower }),
  answers: [],
  nowMicros,
});
