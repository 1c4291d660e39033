import type { JsonObject } from '@bufbuild/protobuf';
import { isSvcError } from '@svc/client/error';
import type { GlobalOptions } from '../connection.ts';
import { openPlain, type PlainContext } from '../context.ts';
import type { Host } from '../host.ts';
import { mapOf, mapsOf, textOf } from '../json-value.ts';
import { listItems, manifestForm } from '../kinds/index.ts';
import { outputForm, printList } from '../output.ts';
import { localTime, renderTable } from '../terminal/index.ts';

export interface UsageOptions extends GlobalOptions {
  readonly allNamespaces?: boolean;
}

interface Limit {
  readonly namespace: string;
  readonly policy: string;
  /** A UsageLimitStatus. */
  readonly limit: JsonObject;
}

const POLICIES_MAX = 10_000;

/** `svc usage [-n NS]`: limits in effect in a namespace, its own and recursive ones of its ancestors, and their use. */
export const showUsage = async (host: Host, options: UsageOptions): Promise<void> => {
  const form = outputForm(options.output);
  const context = await openPlain(host, options);
  const limits =
    options.allNamespaces === true
      ? await limitsOf(context, '-', () => true)
      : await limitsInForce(context, context.target.namespace);
  if (form.form !== 'table' && form.form !== 'wide') return printList(host, { items: limits.map(jsonOf) }, form);
  if (limits.length === 0)
    return context.note(
      options.allNamespaces === true
        ? 'no usage is limited'
        : `no usage is limited in namespace ${context.target.namespace}`,
    );
  const headings = ['NAMESPACE', 'POLICY', 'METRIC', 'OF', 'PER', 'USED', 'MAX', '%', 'NEXT FREE'];
  const columns = host.stdout.isTerminal ? host.stdout.columns : undefined;
  host.stdout.write(renderTable(headings, limits.map(rowOf), columns));
};

/** Own limits, then those of each ancestor with scope recursive, as far up as the caller may read. */
const limitsInForce = async (context: PlainContext, namespace: string): Promise<readonly Limit[]> => {
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

async function* ancestorsOf({ call }: PlainContext, namespace: string): AsyncGenerator<string, void, undefined> {
  let name = namespace;
  for (let above = 0; above < ANCESTORS_MAX; above++) {
    const { namespace: found } = await call('GatewayService/GetNamespace', { name });
    name = textOf(mapOf(mapOf(found)['spec'])['parent']);
    if (name === '') return;
    yield name;
  }
}

const limitsOf = async (
  { call }: PlainContext,
  ns: string,
  reaches: (scope: string) => boolean,
): Promise<readonly Limit[]> => {
  const request = { ns, kind: 'UsagePolicy', member: 'resources' };
  const policies = await listItems({ call, limit: POLICIES_MAX }, 'ResourceService/ListResources', request);
  return policies.map(manifestForm).flatMap(({ metadata, spec, status }) => {
    const { namespace, name } = mapOf(metadata);
    const place = { namespace: textOf(namespace) || ns, policy: textOf(name) };
    const limits = mapsOf(mapOf(status)['hard']).map((limit) => ({ ...place, limit }));
    return reaches(textOf(mapOf(spec)['namespaceScope'])) ? limits : [];
  });
};

const rowOf = ({ namespace, policy, limit }: Limit): readonly string[] => {
  const { agent, provider, model } = mapOf(limit['selector']);
  const of = [agent, provider, model].map(textOf).filter((part) => part !== '');
  const [used, max, window] = [textOf(limit['used']), textOf(limit['max']), textOf(limit['window'])];
  const percent = max === '0' ? '-' : `${(BigInt(used) * 100n) / BigInt(max)}${limit['exceeded'] === true ? '!' : ''}`;
  // In seconds, unlike other times.
  const resetMs = Number(textOf(limit['resetAt'])) * 1_000;
  return [
    namespace,
    policy,
    textOf(limit['metric']),
    of.length === 0 ? 'all' : of.join('/'),
    limit['subjectScope'] === 'identity' ? `${window}, each` : window,
    used,
    max,
    percent,
    resetMs === 0 ? '-' : localTime(resetMs),
  ];
};

const jsonOf = ({ namespace, policy, limit }: Limit): JsonObject => ({ namespace, policy, ...limit });
