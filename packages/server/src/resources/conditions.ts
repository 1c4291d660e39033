import { create } from '@bufbuild/protobuf';
import { type CommonResourceStatus, CommonResourceStatusSchema } from '@svc/api/resources';
import { isJsonMap, type JsonData, parseJsonMap } from './canonical-json.ts';
import { messageFromText } from './resource-codec.ts';

/** A fact that a controller or the write path found out, before time and generation are added. */
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

/** Conditions of one object (PL-2). */
export const CONDITIONS_MAX = 16;
/** Characters of a condition's message (PL-2). */
export const CONDITION_MESSAGE_MAX = 1_000;

/** The new list of conditions in the order of the findings; what the findings no longer name is gone (PL-2). */
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

/** Cut to its limit, where half a character may be left: the store would read it as another one, and a status never settle. */
const messageOf = ({ message = '' }: Finding): string => message.slice(0, CONDITION_MESSAGE_MAX).toWellFormed();

/** What was found out about a resource as a whole. */
export interface Judged {
  readonly phase: string;
  readonly findings: readonly Finding[];
}

/**
 * True when the stored text of a status, which holds generation, phase and conditions alone, says these findings already. Costs
 * a tenth of making the status anew; false may also mean that the text holds something else.
 */
export const isSaid = (statusText: string, { phase, findings }: Judged, generation: number): boolean => {
  const status = parseJsonMap(statusText) ?? {};
  const { conditions } = status;
  const said = findings.slice(0, CONDITIONS_MAX);
  const judged = String(generation);
  return (
    hasMembers(status, 3) &&
    status['phase'] === phase &&
    status['observedGeneration'] === judged &&
    Array.isArray(conditions) &&
    conditions.length === said.length &&
    said.every((finding, index) => isCondition(conditions[index], finding, judged))
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

/** `Ready` in front of the others: True only when none of them is False. */
export const withReady = (findings: readonly Finding[]): readonly Finding[] => {
  const broken = findings.find((finding) => finding.status === 'False');
  const ready: Finding =
    broken === undefined
      ? { type: 'Ready', status: 'True', reason: 'Ready' }
      : { type: 'Ready', status: 'False', reason: broken.reason, message: broken.message ?? '' };
  return [ready, ...findings];
};

/** The shared status message of the simple kinds: what was found out about the spec of `generation`, and its phase. */
export const commonStatus = (
  current: { readonly status: string } | undefined,
  judged: Judged,
  at: { readonly now: number; readonly generation: number },
): CommonResourceStatus => {
  const previous = current === undefined ? [] : storedConditions(current.status);
  return create(CommonResourceStatusSchema, {
    observedGeneration: BigInt(at.generation),
    phase: judged.phase,
    conditions: settleConditions(previous, withReady(judged.findings), at),
  });
};

const storedConditions = (status: string): readonly ConditionState[] =>
  (messageFromText(CommonResourceStatusSchema, status) as CommonResourceStatus).conditions;
