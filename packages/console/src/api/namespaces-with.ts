import type { Client } from '@svc/client';
import { EVERYWHERE } from '../app/scope.ts';

/** Namespaces that are asked at once. */
const AT_ONCE = 6;

/**
 * For operations that answer for one namespace only: asks each namespace in the scope that has resources of one of the kinds, and
 * joins the answers. `EVERYWHERE` is every namespace that the caller may read.
 */
export const inNamespacesWith = async <T>(
  { client, scope, signal }: { readonly client: Client; readonly scope: string; readonly signal: AbortSignal },
  kinds: readonly string[],
  ask: (ns: string) => Promise<readonly T[]>,
): Promise<readonly T[]> => {
  if (scope !== EVERYWHERE) return ask(scope);
  const lists = await Promise.all(
    kinds.map((kind) =>
      client.resources.listResources({ ns: EVERYWHERE, kind, metadataOnly: true, pageSize: 1_000 }, { signal }),
    ),
  );
  const namespaces = new Set(
    lists.flatMap(({ resources }) => resources.map(({ metadata }) => metadata?.namespace ?? '')),
  );
  const waiting = [...namespaces].sort();
  const found: T[] = [];
  const work = async (): Promise<void> => {
    for (let ns = waiting.shift(); ns !== undefined; ns = waiting.shift()) found.push(...(await ask(ns)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
};
