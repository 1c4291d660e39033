import { type ApplyManifestResult, ApplyOutcome } from '@svc/api/gateway';
import { durationMs } from '../connection.ts';
import type { CommandContext } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import { isMap } from '../json-value.ts';
import { genericJson, readGeneric } from '../typed-resource.ts';

const DEFAULT_MS = 5 * 60_000;
const PAUSE_MS = 500;

type Json = Readonly<Record<string, unknown>>;

/** Waits until everything that was applied is judged as it is now and Ready is not False (PL-1.4). Throws with exit code 5. */
export const waitUntilReady = async (
  context: CommandContext,
  results: readonly ApplyManifestResult[],
  wait: string | boolean | undefined,
): Promise<void> => {
  if (wait === undefined || wait === false) return;
  const { world, note } = context;
  const limitMs = typeof wait === 'string' ? durationMs('--wait', wait) : DEFAULT_MS;
  const end = world.nowMs() + limitMs;
  let left = results.filter(({ outcome }) => outcome !== ApplyOutcome.PRUNED);
  for (let waitedMs = 0; ; waitedMs += PAUSE_MS) {
    const states = await Promise.all(left.map(async (result) => ({ result, why: await notReady(context, result) })));
    const waiting = states.filter(({ why }) => why !== '');
    if (waiting.length === 0) return note('everything is ready');
    left = waiting.map(({ result }) => result);
    if (world.nowMs() >= end || waitedMs >= limitMs)
      throw new CommandFailure(
        ['not everything is ready in time:', ...waiting.map(({ result, why }) => `  ${subject(result)}: ${why}`)].join(
          '\n',
        ),
        { exitCode: exitCodes.timeout, hint: '`svc describe KIND NAME` tells more' },
      );
    await world.sleep(PAUSE_MS);
  }
};

const subject = ({ kind, ns, name }: ApplyManifestResult): string => `${kind} ${ns === '' ? name : `${ns}/${name}`}`;

/** Why a resource is not ready; '' when it is. */
const notReady = async (context: CommandContext, result: ApplyManifestResult): Promise<string> => {
  const spec = result.resource?.spec?.kind;
  const parent = spec?.case === 'channelSubscription' ? spec.value.channel : '';
  const kind = result.kind === 'AgentTemplate' ? 'Template' : result.kind;
  const ns = kind === 'Namespace' ? result.name : result.ns;
  const { metadata, status } = genericJson(await readGeneric(context, { ns, kind, parent, name: result.name }));
  const generation = isMap(metadata) ? metadata['generation'] : undefined;
  const { observedGeneration, conditions } = isMap(status) ? status : ({} as Json);
  // Kinds without a controller have no observed generation: they are ready when they are stored.
  if (observedGeneration !== undefined && observedGeneration !== generation) return 'not looked at yet';
  const ready = Array.isArray(conditions)
    ? conditions.filter(isMap).find((condition) => condition['type'] === 'Ready')
    : undefined;
  return ready?.['status'] === 'False' ? `${String(ready['reason'])}: ${String(ready['message'])}` : '';
};
