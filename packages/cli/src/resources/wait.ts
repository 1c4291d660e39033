import { isSvcError } from '@svc/client/error';
import { type GlobalOptions, timeoutMs } from '../connection.ts';
import { openPlain } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import { isMap } from '../json-value.ts';
import { type Item, type Kind, kindAndName, type Scope } from '../kinds/index.ts';
import type { World } from '../world.ts';

export interface WaitOptions extends GlobalOptions {
  /** `condition=TYPE`, `condition=TYPE=False`, `phase=PHASE` or `delete`. */
  readonly for?: string;
}

const DEFAULT_TIMEOUT_MS = 5 * 60_000;
const PAUSE_MS = 500;

type Goal = (item: Item | undefined) => boolean;

/** `svc wait KIND NAME --for ...`: exit 0 when it holds, 5 when the time is over first. */
export const wait = async (world: World, words: readonly string[], options: WaitOptions): Promise<void> => {
  const { kind, name } = kindAndName(words);
  const goal = goalOf(options.for ?? 'condition=Ready');
  const { timeout, ...untimed } = options;
  const { scope, note } = await openPlain(world, untimed);
  const limit = timeoutMs(options) ?? DEFAULT_TIMEOUT_MS;
  const end = world.nowMs() + limit;
  for (let pause = 0; ; pause += PAUSE_MS) {
    const item = await find(kind, scope, name);
    if (goal(item)) return note(`${kind.name.toLowerCase()}/${name} ${options.for ?? 'condition=Ready'}`);
    if (world.nowMs() >= end || pause >= limit)
      throw new CommandFailure(
        item === undefined
          ? `${kind.name} ${name} does not exist after ${timeout ?? '5m'}`
          : `${kind.name} ${name}: ${options.for ?? 'condition=Ready'} does not hold after ${timeout ?? '5m'}`,
        {
          exitCode: exitCodes.timeout,
          hint: item === undefined ? undefined : `\`svc describe ${kind.name.toLowerCase()} ${name}\` shows how it is`,
        },
      );
    await world.sleep(PAUSE_MS);
  }
};

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
    return (item) => item !== undefined && isPhase(statusOf(item)['phase'], wanted);
  if (what === 'condition' && wanted !== '')
    return (item) => item !== undefined && isFresh(item) && conditionOf(item, wanted) === value;
  throw new CommandFailure(`--for ${text} is not known`, { hint: 'condition=TYPE, phase=PHASE or delete' });
};

type Json = Readonly<Record<string, unknown>>;

const statusOf = (item: Item): Json => (isMap(item.json['status']) ? item.json['status'] : {});

/** Enum phases are meant by their short name too. */
const isPhase = (phase: unknown, wanted: string): boolean =>
  typeof phase === 'string' &&
  [phase, phase.replace(/^[A-Z_]*PHASE_/, '')].some((word) => word.toLowerCase() === wanted.toLowerCase());

/** The status judges the spec as it is now. */
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
