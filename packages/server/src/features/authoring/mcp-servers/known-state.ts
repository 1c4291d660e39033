import { type Finding, isJsonMap, type JsonData, type JsonMap, parseJsonMap } from '../../../resources/index.ts';
import type { StoredResource } from '../../../store/contracts/index.ts';
import type { FailedList, ListOutcome } from './connections/index.ts';

/** What trying to reach a server tells: the conditions Reachable and ToolsListed. */
export type KnownState = readonly [reachable: Finding, toolsListed: Finding];

export type FailureReason = 'ConnectFailed' | 'AuthFailed' | 'ListFailed' | 'Timeout';

const REASONS: ReadonlySet<unknown> = new Set(['Connected', 'ConnectFailed', 'AuthFailed', 'ListFailed', 'Timeout']);
/** Characters of a server's name and version. */
const FACT_MAX = 100;

/** What was found at the last attempt, as the status says it; undefined when that was about another generation. */
export const knownState = (
  current: Pick<StoredResource, 'status'> | undefined,
  generation: number,
): KnownState | undefined => {
  const conditions = parseJsonMap(current?.status ?? '')?.['conditions'];
  if (!Array.isArray(conditions)) return undefined;
  const found = ['Reachable', 'ToolsListed'].map((type) =>
    (conditions as readonly JsonData[]).filter(isJsonMap).find((one) => one['type'] === type),
  );
  const [reachable, listed] = found;
  if (reachable === undefined || listed === undefined || !REASONS.has(reachable['reason'])) return undefined;
  if (reachable['observedGeneration'] !== String(generation)) return undefined;
  return [findingOf(reachable), findingOf(listed)];
};

const findingOf = ({ type, status, reason, message = '' }: JsonMap): Finding => ({
  type: String(type),
  status: status === 'True' || status === 'False' ? status : 'Unknown',
  reason: String(reason),
  message: String(message),
});

/** What one attempt found. */
export const foundState = (outcome: ListOutcome, allowlist: readonly string[] | undefined): KnownState => {
  if ('failure' in outcome) {
    const reason = reasonOf(outcome);
    const { message } = outcome.failure;
    return [
      { type: 'Reachable', status: 'False', reason, message },
      { type: 'ToolsListed', status: 'Unknown', reason },
    ];
  }
  const { server, tools } = outcome;
  const names = new Set(tools.map(({ name }) => name));
  const missing = (allowlist ?? []).filter((name) => !names.has(name));
  const facts = [`protocol ${server.protocol}`, `${server.name} ${server.version}`].map(shown).join(', ');
  return [
    { type: 'Reachable', status: 'True', reason: 'Connected', message: facts },
    missing.length === 0
      ? { type: 'ToolsListed', status: 'True', reason: 'Listed', message: `${tools.length} tools` }
      : {
          type: 'ToolsListed',
          status: 'False',
          reason: 'ToolsMissing',
          message: `the server has no tools named ${missing.join(', ')}`,
        },
  ];
};

/** The word for a failure: what it was, and where that does not say it, what failed. */
export const reasonOf = ({ failure: { kind }, at }: FailedList): FailureReason => {
  if (kind === 'auth') return 'AuthFailed';
  if (kind === 'timeout') return 'Timeout';
  return at === 'list' ? 'ListFailed' : 'ConnectFailed';
};

/** What a server says of itself, on one line. */
export const shown = (text: string): string =>
  text
    .replace(/[^\p{L}\p{N}\p{P}\p{S} ]+/gu, ' ')
    .slice(0, FACT_MAX)
    .toWellFormed()
    .trim();
