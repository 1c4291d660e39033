import { isSvcError } from '@svc/client/error';
import { type GlobalOptions, timeoutMs } from '../connection.ts';
import { openPlain } from '../context.ts';
import { CommandFailure, type ExitCode, exitCodes } from '../failure.ts';
import type { Host } from '../host.ts';
import { isMap } from '../json-value.ts';
import { type Item, type Kind, kindAndName, type Scope } from '../kinds/index.ts';
import { FAILURE_GRACE_MS, type Standing, settledStanding } from '../settled/index.ts';

export interface WaitOptions extends GlobalOptions {
  /** `condition=TYPE`, `condition=TYPE=False`, `phase=PHASE` or `delete`. */
  readonly for?: string;
}

const DEFAULT_TIMEOUT_MS = 5 * 60_000;
const PAUSE_MS = 500;

/** Goals that a failing resource cannot reach, and that a kind which is not executed has reached as far as it ever will. */
const isReadyGoal = (goal: string): boolean =>
  /^condition=Ready(=True)?$/.test(goal) || goal.toLowerCase() === 'phase=ready';

type Goal = (item: Item | undefined) => boolean;

/**
 * `svc wait KIND NAME --for ...`: exit code 0 when it holds or the kind is not executed, 1 when the resource keeps failing although
 * it should become ready, 5 on timeout.
 */
export const wait = async (host: Host, words: readonly string[], options: WaitOptions): Promise<void> => {
  const { kind, name } = kindAndName(words);
  const wanted = options.for ?? 'condition=Ready';
  const goal = goalOf(wanted);
  const { timeout = '5m', ...untimed } = options;
  const { scope, note } = await openPlain(host, untimed);
  const limit = timeoutMs(options) ?? DEFAULT_TIMEOUT_MS;
  const end = host.nowMs() + limit;
  const subject = `${kind.name.toLowerCase()}/${name}`;
  let failingMs = 0;
  for (let pause = 0; ; pause += PAUSE_MS) {
    const item = await find(kind, scope, name);
    const standing = await standingFor(wanted, scope, item);
    if (standing?.state === 'idle') return note(`${subject} is stored, not running: ${standing.why}`);
    if (goal(item) && (standing?.state ?? 'ready') === 'ready') return note(`${subject} ${wanted}`);
    if (standing?.state !== 'failing') failingMs = 0;
    else if (failingMs < FAILURE_GRACE_MS) failingMs += PAUSE_MS;
    else throw unready(`${kind.name} ${name} does not become ready: ${standing.why}`, subject, exitCodes.refused);
    if (host.nowMs() >= end || pause >= limit) {
      const missing = item === undefined ? 'it does not exist' : `${wanted} does not hold`;
      throw unready(`${kind.name} ${name}: ${missing} after ${timeout}`, subject, exitCodes.timeout);
    }
    await host.sleep(PAUSE_MS);
  }
};

/** Undefined for goals that do not depend on readiness. */
const standingFor = async (goal: string, scope: Scope, item: Item | undefined): Promise<Standing | undefined> =>
  item === undefined || !isReadyGoal(goal) ? undefined : settledStanding(scope, item.json);

const unready = (message: string, subject: string, exitCode: ExitCode): CommandFailure =>
  new CommandFailure(message, { exitCode, hint: `\`svc describe ${subject}\` shows how it is` });

const find = async (kind: Kind, scope: Scope, name: string): Promise<Item | undefined> => {
  try {
    return await kind.get(scope, name);
  } catch (error) {
    if (isSvcError(error) && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
};

const goalOf = (text: string): Goal => {
  const [what = '', wanted = '', value = 'True'] = text.split('=');
  if (what === 'delete') return (item) => item === undefined || statusOf(item)['isDeleted'] === true;
  if (what === 'phase' && wanted !== '')
    return (item) => item !== undefined && !isStale(item) && isPhase(statusOf(item)['phase'], wanted);
  if (what === 'condition' && wanted !== '')
    return (item) => item !== undefined && isFresh(item) && conditionOf(item, wanted) === value;
  throw new CommandFailure(`--for ${text} is not known`, { hint: 'condition=TYPE, phase=PHASE or delete' });
};

type Json = Readonly<Record<string, unknown>>;

const statusOf = (item: Item): Json => (isMap(item.json['status']) ? item.json['status'] : {});

/** Enum phases also match by their short name. */
const isPhase = (phase: unknown, wanted: string): boolean =>
  typeof phase === 'string' &&
  [phase, phase.replace(/^[A-Z_]*PHASE_/, '')].some((word) => word.toLowerCase() === wanted.toLowerCase());

/** The status belongs to another generation of the spec; kinds without an observed generation never match. */
const isStale = (item: Item): boolean => statusOf(item)['observedGeneration'] !== undefined && !isFresh(item);

/** The status belongs to the current generation. */
const isFresh = (item: Item): boolean => {
  const { metadata } = item.json;
  const generation = isMap(metadata) ? metadata['generation'] : undefined;
  return generation === undefined || statusOf(item)['observedGeneration'] === generation;
};

const conditionOf = (item: Item, type: string): unknown => {
  const { conditions } = statusOf(item);
  const found = Array.isArray(conditions)
    ? conditions.find((condition: unknown) => isMap(condition) && condition['type'] === type)
    : undefined;
  return isMap(found) ? found['status'] : undefined;
};
