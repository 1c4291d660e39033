import type { TurnUsage, UsageMeter } from '../../../runtime/contract.ts';
import type { BareChunk, WriteTx } from '../../../store/contracts/index.ts';

/** Charges a request for vectors, in the transaction that keeps what it brought. */
export type ChargeVectors = (tx: WriteTx, namespace: string, usage: TurnUsage) => Promise<void>;

/** No agent and no turn asks for vectors; the namespace of the texts pays. */
const IDENTITY = 'system';

/** Charges by the meter of turns: the same records and the same limits of tokens and money. */
export const chargeVectors =
  (meter: Pick<UsageMeter, 'charge'>): ChargeVectors =>
  (tx, namespace, usage) => {
    const { provider, model } = usage;
    return meter.charge(tx, { namespace, agent: '', identity: IDENTITY, provider, model }, usage, '');
  };

/** What each namespace pays for one request, by the length of its texts; what rounding leaves goes to the first. */
export const sharesOf = (
  usage: TurnUsage,
  chunks: readonly Pick<BareChunk, 'namespace' | 'heading' | 'text'>[],
): ReadonlyMap<string, TurnUsage> => {
  const lengths = new Map<string, number>();
  for (const { namespace, heading, text } of chunks)
    lengths.set(namespace, (lengths.get(namespace) ?? 0) + heading.length + text.length + 1);
  const whole = [...lengths.values()].reduce((sum, length) => sum + length, 0);
  const divided = (amount: number): readonly number[] => {
    const parts = [...lengths.values()].map((length) => Math.floor((amount * length) / whole));
    const rest = amount - parts.reduce((sum, part) => sum + part, 0);
    return parts.map((part, index) => (index === 0 ? part + rest : part));
  };
  const [input, total, cost] = [divided(usage.inputTokens), divided(usage.totalTokens), divided(usage.costMicros ?? 0)];
  return new Map(
    [...lengths.keys()].map((namespace, index) => [
      namespace,
      {
        ...usage,
        inputTokens: input[index] ?? 0,
        totalTokens: total[index] ?? 0,
        ...(usage.costMicros === undefined ? {} : { costMicros: cost[index] ?? 0 }),
      },
    ]),
  );
};
