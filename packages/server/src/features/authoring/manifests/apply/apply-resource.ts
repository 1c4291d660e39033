import { create } from '@bufbuild/protobuf';
import {
  ApplyOutcome,
  type ApplyResourceRequest,
  type ApplyResourceResponse,
  ApplyResourceResponseSchema,
} from '@svc/api/gateway';
import type { CallContext } from '../../../../auth/contract.ts';
import { formatKey, refusal } from '../../../../resources/index.ts';
import type { WriteTx } from '../../../../store/contracts/index.ts';
import type { ManifestsDeps } from '../manifests-deps.ts';
import { showResources } from '../resource-shown.ts';
import { type Applied, applyDocument, replaceWhole } from './apply-document.ts';
import { changeOf, fieldErrors, isRefusal } from './apply-outcome.ts';
import { applyTarget } from './apply-target.ts';
import { rehearse } from './rehearsal.ts';

/** Creates or replaces one resource of any kind; a dry run tells what would happen. */
export const applyResource = async (
  deps: ManifestsDeps,
  request: ApplyResourceRequest,
  context: CallContext,
): Promise<ApplyResourceResponse> => {
  const result = applyTarget(request, request.manifest);
  const rules = { context, createsNamespaces: request.createNamespace, namespaceField: 'ns' } as const;
  const work = async (tx: WriteTx): Promise<Applied> => {
    if ('faults' in result) throw refusal(result.faults);
    return applyDocument(deps, tx, { document: result.target, rules, write: replaceWhole(deps, tx, context) });
  };
  if (!request.dryRun) return answer(deps, await deps.store.write(work), { context });
  const { ns, kind, name, parent } = request;
  const place = { context, target: formatKey({ kind, namespace: ns, parent, name }), namespace: ns };
  try {
    return await answer(deps, await rehearse(deps, place, work), { context, isTransient: true });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return create(ApplyResourceResponseSchema, { outcome: ApplyOutcome.FAILED, fieldErrors: fieldErrors(error) });
  }
};

const answer = async (
  deps: ManifestsDeps,
  applied: Applied,
  view: { readonly context: CallContext; readonly isTransient?: boolean },
): Promise<ApplyResourceResponse> => {
  const shown = { records: [applied.resource], ...view };
  const [resource] = await deps.store.read((tx) => showResources(deps, tx, shown));
  return create(ApplyResourceResponseSchema, {
    ...changeOf(applied),
    ...(resource === undefined ? {} : { resource }),
  });
};
