import { type ApplyManifestResult, ApplyOutcome } from '@svc/api/gateway';
import { durationMs } from '../connection.ts';
import type { CommandContext } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import { kindOf } from '../kinds/index.ts';
import {
  concernedDeployments,
  deploymentsInReach,
  FAILURE_GRACE_MS,
  type Standing,
  settledStanding,
} from '../settled/index.ts';
import { genericJson, readGeneric } from '../typed-resource.ts';

const DEFAULT_MS = 5 * 60_000;
const PAUSE_MS = 500;

/** A resource that is waited for. */
interface Awaited {
  readonly subject: string;
  readonly look: () => Promise<Standing>;
  /** How long it has been failing without a break. */
  readonly failingMs: number;
}

interface Found {
  readonly one: Awaited;
  readonly standing: Standing;
}

/**
 * Waits until the status of everything applied is current and ready, including every deployment that renders an applied template or
 * selects an applied namespace. Kinds that are not executed count as done, and are named. Throws with exit code 1 when something
 * keeps failing, with 5 on timeout.
 */
export const waitUntilReady = async (
  context: CommandContext,
  results: readonly ApplyManifestResult[],
  wait: string | boolean | undefined,
): Promise<void> => {
  if (wait === undefined || wait === false) return;
  const { host, note } = context;
  const limitMs = typeof wait === 'string' ? durationMs('--wait', wait) : DEFAULT_MS;
  const end = host.nowMs() + limitMs;
  let left = await awaitedOf(context, results);
  const idle: string[] = [];
  for (let waitedMs = 0; ; waitedMs += PAUSE_MS) {
    const found = await Promise.all(left.map(async (one) => ({ one, standing: await one.look() })));
    for (const { one, standing } of found)
      if (standing.state === 'idle') idle.push(`${one.subject} is stored, not running: ${standing.why}`);
    const open = found.filter(({ standing }) => standing.state === 'waiting' || standing.state === 'failing');
    if (open.length === 0) {
      for (const line of idle) note(line);
      return note(idle.length === 0 ? 'everything is ready' : 'everything else is ready');
    }
    refuseFailed(open);
    if (host.nowMs() >= end || waitedMs >= limitMs)
      throw new CommandFailure(listing('not everything is ready in time:', open), {
        exitCode: exitCodes.timeout,
        hint: '`svc describe KIND NAME` shows more',
      });
    left = open.map(({ one, standing }) => ({
      ...one,
      failingMs: standing.state === 'failing' ? one.failingMs + PAUSE_MS : 0,
    }));
    await host.sleep(PAUSE_MS);
  }
};

const listing = (title: string, found: readonly Found[]): string =>
  [title, ...found.map(({ one, standing }) => `  ${one.subject}: ${'why' in standing ? standing.why : ''}`)].join('\n');

const refuseFailed = (open: readonly Found[]): void => {
  const failed = open.filter(({ one, standing }) => standing.state === 'failing' && one.failingMs >= FAILURE_GRACE_MS);
  if (failed.length > 0)
    throw new CommandFailure(listing('this was applied and does not become ready:', failed), {
      exitCode: exitCodes.refused,
      hint: '`svc describe KIND NAME` shows more',
    });
};

const awaitedOf = async (
  context: CommandContext,
  results: readonly ApplyManifestResult[],
): Promise<readonly Awaited[]> => {
  const applied = results.filter(({ outcome }) => outcome !== ApplyOutcome.PRUNED);
  const templates = applied.filter(({ kind }) => plainKind(kind) === 'Template').map(({ name }) => name);
  const namespaces = applied.flatMap(({ kind, resource }) =>
    kind === 'Namespace' && resource !== undefined ? [genericJson(resource)] : [],
  );
  const isFollowed = templates.length + namespaces.length > 0;
  const deployments = isFollowed
    ? concernedDeployments(await deploymentsInReach(context), { templates, namespaces })
    : [];
  const own = applied.map(
    (result): Awaited => ({
      subject: subject(result),
      look: () => look(context, result),
      failingMs: 0,
    }),
  );
  const known = new Set(own.map((one) => one.subject));
  return [
    ...own,
    ...deployments
      .map(
        ({ namespace, name }): Awaited => ({
          subject: `Deployment ${namespace}/${name}`,
          look: async () => {
            const scope = { ...context.scope, namespace };
            return settledStanding(scope, (await kindOf('deployments').get(scope, name)).json);
          },
          failingMs: 0,
        }),
      )
      .filter((one) => !known.has(one.subject)),
  ];
};

const plainKind = (kind: string): string => (kind === 'AgentTemplate' ? 'Template' : kind);

const subject = ({ kind, ns, name }: ApplyManifestResult): string => `${kind} ${ns === '' ? name : `${ns}/${name}`}`;

const look = async (context: CommandContext, result: ApplyManifestResult): Promise<Standing> => {
  const spec = result.resource?.spec?.kind;
  const parent = spec?.case === 'channelSubscription' ? spec.value.channel : '';
  const kind = plainKind(result.kind);
  const ns = kind === 'Namespace' ? result.name : result.ns;
  const json = genericJson(await readGeneric(context, { ns, kind, parent, name: result.name }));
  return settledStanding({ ...context.scope, namespace: ns }, json);
};
