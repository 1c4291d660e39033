import type { JsonObject } from '@bufbuild/protobuf';
import { toJson } from '@bufbuild/protobuf';
import type { UsageLimitStatus } from '@svc/api/resources';
import { UsageLimitStatusSchema } from '@svc/api/resources';
import { isSvcError } from '@svc/client';
import type { GlobalOptions } from '../connection.ts';
import { type CommandContext, openContext } from '../context.ts';
import { collectPages } from '../kinds/index.ts';
import { outputForm, printValue } from '../output.ts';
import { localTime, renderTable } from '../terminal/index.ts';
import type { World } from '../world.ts';

export interface UsageOptions extends GlobalOptions {
  readonly allNamespaces?: boolean;
}

interface Limit {
  readonly namespace: string;
  readonly policy: string;
  readonly limit: UsageLimitStatus;
}

const POLICIES_MAX = 10_000;

/** `svc usage [-n NS]`: limits that hold in a namespace, its own and those of namespaces above that reach down, and their use. */
export const showUsage = async (world: World, options: UsageOptions): Promise<void> => {
  const form = outputForm(options.output);
  const context = await openContext(world, options);
  const limits =
    options.allNamespaces === true
      ? await limitsOf(context, '-', () => true)
      : await limitsInForce(context, context.target.namespace);
  if (form.form !== 'table' && form.form !== 'wide') return printValue(world, { items: limits.map(jsonOf) }, form);
  if (limits.length === 0)
    return context.note(
      options.allNamespaces === true
        ? 'no usage is limited'
        : `no usage is limited in namespace ${context.target.namespace}`,
    );
  const headings = ['NAMESPACE', 'POLICY', 'METRIC', 'OF', 'PER', 'USED', 'MAX', '%', 'NEXT FREE'];
  const columns = world.stdout.isTerminal ? world.stdout.columns : undefined;
  world.stdout.write(renderTable(headings, limits.map(rowOf), columns));
};

/** Own limits, then those of each namespace above with scope recursive (PL-3), as far up as the caller may look. */
const limitsInForce = async (context: CommandContext, namespace: string): Promise<readonly Limit[]> => {
  const found = [...(await limitsOf(context, namespace, () => true))];
  try {
    for await (const ancestor of ancestorsOf(context, namespace))
      found.push(...(await limitsOf(context, ancestor, (scope) => scope !== 'self')));
  } catch (error) {
    if (!isSvcError(error) || error.code !== 'PERMISSION_DENIED') throw error;
    context.note('there may be limits of namespaces above, which you may not see');
  }
  return found;
};

const ANCESTORS_MAX = 32;

async function* ancestorsOf({ client }: CommandContext, namespace: string): AsyncGenerator<string, void, undefined> {
  let name = namespace;
  for (let above = 0; above < ANCESTORS_MAX; above++) {
    name = (await client.gateway.getNamespace({ name })).namespace?.spec?.parent ?? '';
    if (name === '') return;
    yield name;
  }
}

const limitsOf = async (
  { client }: CommandContext,
  ns: string,
  reaches: (scope: string) => boolean,
): Promise<readonly Limit[]> => {
  const policies = await collectPages(POLICIES_MAX, async (pageToken, pageSize) => {
    const page = await client.resources.listResources({ ns, kind: 'UsagePolicy', pageToken, pageSize });
    return { items: page.resources, next: page.nextPageToken };
  });
  return policies.flatMap(({ metadata, spec, status }) => {
    const scope = spec?.kind.case === 'usagePolicy' ? spec.kind.value.namespaceScope : '';
    const hard = status?.kind.case === 'usagePolicy' ? status.kind.value.hard : [];
    const place = { namespace: metadata?.namespace ?? ns, policy: metadata?.name ?? '' };
    return reaches(scope) ? hard.map((limit) => ({ ...place, limit })) : [];
  });
};

const rowOf = ({ namespace, policy, limit }: Limit): readonly string[] => {
  const { metric, selector, window, used, max, exceeded, resetAt, subjectScope } = limit;
  const of = [selector?.agent, selector?.provider, selector?.model].filter((part) => part !== undefined && part !== '');
  const percent = max === 0n ? '-' : `${(used * 100n) / max}${exceeded ? '!' : ''}`;
  return [
    ...[namespace, policy, metric, of.length === 0 ? 'all' : of.join('/')],
    ...[subjectScope === 'identity' ? `${window}, each` : window, String(used), String(max), percent],
    resetAt === 0n ? '-' : localTime(Number(resetAt) * 1_000),
  ];
};

const jsonOf = ({ namespace, policy, limit }: Limit): JsonObject => ({
  ...{ namespace, policy },
  ...(toJson(UsageLimitStatusSchema, limit, { alwaysEmitImplicit: true }) as JsonObject),
});
