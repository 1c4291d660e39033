import type { ApplyOutcome, FieldError } from '@svc/api/gateway';
import type { Resource } from '@svc/api/resources';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import { useCan } from '../../access/access-context.ts';
import { useRead, useWrite } from '../../api/use-call.ts';
import { useSettled } from '../../api/use-settled.ts';
import { useResource } from '../resources/index.ts';

const KIND = 'Workflow';

/** One workflow. */
export const useWorkflow = (ns: string, name: string): UseQueryResult<Resource> =>
  useResource({ kind: KIND, ns, name, parent: '' });

/** What the server says of a text without storing it. */
export interface DryRun {
  readonly text: string;
  readonly errors: readonly FieldError[];
  /** As it would be; undefined when there are errors. */
  readonly resource: Resource | undefined;
  /** What storing it would do; undefined when the text holds no resource. */
  readonly outcome: ApplyOutcome | undefined;
}

/** Has the server check a text a moment after it stopped changing; for those who may write it, as it refuses others. */
export const useDryRun = (ns: string, text: string): UseQueryResult<DryRun> => {
  const settled = useSettled(text, 500);
  const mayWrite = useCan()('admin', { ns });
  return useRead({
    key: ['ApplyManifests', 'dry run', ns, settled],
    call: async (client, signal): Promise<DryRun> => {
      const { results } = await client.resources.applyManifests({ text: settled, ns, dryRun: true }, { signal });
      const errors = results.flatMap(({ fieldErrors }) => fieldErrors);
      return { text: settled, errors, resource: results[0]?.resource, outcome: results[0]?.outcome };
    },
    enabled: mayWrite && settled.trim() !== '',
  });
};

/** Stores a text. Refused with ABORTED CONFLICT when it names a version that is no longer stored. */
export const useSaveText = (ns: string): UseMutationResult<Resource | undefined, Error, string> =>
  useWrite(
    async (client, text: string) => {
      const { results } = await client.resources.applyManifests({ text, ns });
      return results[0]?.resource;
    },
    { changes: { kinds: [KIND] } },
  );
