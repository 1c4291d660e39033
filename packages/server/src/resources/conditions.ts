import { create } from '@bufbuild/protobuf';
import { type CommonResourceStatus, CommonResourceStatusSchema } from '@svc/api/resources';
import { isJsonMap, type JsonData, parseJsonMap } from './canonical-json.ts';
import { messageFromText } from './resource-codec.ts';

/** A fact found by a controller or the write path, before time and generation are added. */
export interface Finding {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** CamelCase word. */
  readonly reason: string;
  /** At most 1,000 characters, no secrets. */
  readonly message?: string;
}

export interface ConditionState {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** Micros; moves only when `status` changes. */
  readonly lastTransitionTime: bigint;
  readonly observedGeneration: bigint;
}

/** Conditions of one object. */
export const CONDITIONS_MAX = 16;
/** Characters of a condition's message. */
export const CONDITION_MESSAGE_MAX = 1_000;

/** The new list of conditions, in the order of the findings; conditions without a finding are removed. */
export const settleConditions = (
  previous: readonly ConditionState[],
  findings: readonly Finding[],
  at: { readonly now: number; readonly generation: number },
): ConditionState[] =>
  findings.slice(0, CONDITIONS_MAX).map((finding) => {
    const before = previous.find((condition) => condition.type === finding.type);
    const isSame = before !== undefined && before.status === finding.status;
    return {
      type: finding.type,
      status: finding.status,
      reason: finding.reason,
      message: messageOf(finding),
      lastTransitionTime: isSame ? before.lastTransitionTime : BigInt(at.now),
      observedGeneration: BigInt(at.generation),
    };
  });

/** Cut to its limit without leaving half a character: the store would read that as another one, and the status would never settle. */
const messageOf = ({ message = '' }: Finding): string => message.slice(0, CONDITION_MESSAGE_MAX).toWellFormed();

/** The findings about a resource as a whole. */
export interface Judged {
  readonly phase: string;
  /** May hold a finding of type `Ready`; without one it is derived from the others. */
  readonly findings: readonly Finding[];
  /** Why this kind is not executed yet, in plain words; absent for kinds that are. */
  readonly notExecuted?: string | undefined;
}

/** Reason of conditions that are Unknown only because this version does not execute the kind. */
export const NOT_EXECUTED = 'NotExecuted';

/** Phases that mean that something is wrong, in lower case. */
const FAILING_PHASES: ReadonlySet<string> = new Set(['degraded', 'invalid', 'failed', 'lost']);

/**
 * True when the stored text of a status, which holds only generation, phase and conditions, contains these findings already. Costs
 * a tenth of building the status again; false may also mean that the text contains something else.
 */
export const isSaid = (statusText: string, judged: Judged, generation: number): boolean => {
  const status = parseJsonMap(statusText) ?? {};
  const { conditions } = status;
  const said = withReady(judged).slice(0, CONDITIONS_MAX);
  const observed = String(generation);
  return (
    hasMembers(status, 3) &&
    status['phase'] === judged.phase &&
    status['observedGeneration'] === observed &&
    Array.isArray(conditions) &&
    conditions.length === said.length &&
    said.every((finding, index) => isCondition(conditions[index], finding, observed))
  );
};

const isCondition = (stored: JsonData | undefined, finding: Finding, generation: string): boolean => {
  if (!isJsonMap(stored)) return false;
  const message = messageOf(finding);
  return (
    hasMembers(stored, message === '' ? 5 : 6) &&
    stored['type'] === finding.type &&
    stored['status'] === finding.status &&
    stored['reason'] === finding.reason &&
    (stored['message'] ?? '') === message &&
    stored['lastTransitionTime'] !== undefined &&
    stored['observedGeneration'] === generation
  );
};

const hasMembers = (map: object, count: number): boolean => Object.keys(map).length === count;

/**
 * The findings with `Ready` in front, computed in one place for all kinds, so that it never contradicts the rest. Ready is
 * 1. False when something is wrong: a finding is False for another reason than NotExecuted, or the phase is a failing one;
 * 2. else Unknown with reason NotExecuted when the kind, or something that the resource depends on, is not executed;
 * 3. else True.
 * A `Ready` found by the kind itself is kept, unless it is True and rule 1 (by its phase) or 2 forbids that.
 */
export const withReady = (judged: Judged): readonly Finding[] => {
  const { findings } = judged;
  const own = findings.find(isReady);
  const others = own === undefined ? findings : findings.filter((finding) => !isReady(finding));
  return [own === undefined ? derivedReady(judged) : permittedReady(own, judged), ...others];
};

const isReady = ({ type }: Finding): boolean => type === 'Ready';

const derivedReady = (judged: Judged): Finding =>
  brokenReady(judged) ?? failedPhase(judged) ?? openReady(judged) ?? { type: 'Ready', status: 'True', reason: 'Ready' };

const permittedReady = (own: Finding, judged: Judged): Finding =>
  own.status === 'True' ? (failedPhase(judged) ?? openReady(judged) ?? own) : own;

const readyAs = (
  status: Finding['status'],
  { reason, message = '' }: Pick<Finding, 'reason' | 'message'>,
): Finding => ({
  type: 'Ready',
  status,
  reason,
  message,
});

const brokenReady = ({ findings }: Judged): Finding | undefined => {
  const broken = findings.find(
    ({ type, status, reason }) => type !== 'Ready' && status === 'False' && reason !== NOT_EXECUTED,
  );
  return broken === undefined ? undefined : readyAs('False', broken);
};

/** A phase that fails only because the kind is not executed leaves Ready Unknown. */
const failedPhase = (judged: Judged): Finding | undefined => {
  const { phase } = judged;
  if (!FAILING_PHASES.has(phase.toLowerCase())) return undefined;
  return brokenReady(judged) ?? openReady(judged) ?? readyAs('False', { reason: phase });
};

const openReady = ({ findings, notExecuted }: Judged): Finding | undefined => {
  if (notExecuted !== undefined) return readyAs('Unknown', { reason: NOT_EXECUTED, message: notExecuted });
  const open = findings.find(({ type, reason }) => type !== 'Ready' && reason === NOT_EXECUTED);
  return open === undefined ? undefined : readyAs('Unknown', open);
};

/** The conditions of a status, `Ready` first: the findings about the spec of `generation`. */
export const judgedConditions = (
  previous: readonly ConditionState[],
  judged: Judged,
  at: { readonly now: number; readonly generation: number },
): ConditionState[] => settleConditions(previous, withReady(judged), at);

/** The shared status message of the simple kinds: the findings about the spec of `generation`, and its phase. */
export const commonStatus = (
  current: { readonly status: string } | undefined,
  judged: Judged,
  at: { readonly now: number; readonly generation: number },
): CommonResourceStatus => {
  const previous = current === undefined ? [] : storedConditions(current.status);
  return create(CommonResourceStatusSchema, {
    observedGeneration: BigInt(at.generation),
    phase: judged.phase,
    conditions: judgedConditions(previous, judged, at),
  });
};

const storedConditions = (status: string): readonly ConditionState[] =>
  (messageFromText(CommonResourceStatusSchema, status) as CommonResourceStatus).conditions;
