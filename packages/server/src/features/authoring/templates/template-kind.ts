import type { TemplateSpec } from '@svc/api/resources';
import { type KindContract, kindContract, type WriteOrigin } from '../../../controllers/contract.ts';
import { commonStatus } from '../../../resources/index.ts';
import type { ResourceKey, WriteTx } from '../../../store/contracts/index.ts';
import { checkTemplate, fillTemplateDefaults, type TemplateRuleDeps } from './template-rules.ts';

export interface TemplateKindDeps extends TemplateRuleDeps {
  /** Throws PERMISSION_DENIED PARENT_SCOPE where deployments would render the change into namespaces that are not the origin's. */
  readonly requireScope: (tx: WriteTx, template: ResourceKey, origin: WriteOrigin) => Promise<void>;
}

/** How templates are written, whichever operation writes them. A stored template is Ready. */
export const templateContract = (deps: TemplateKindDeps): KindContract =>
  kindContract<TemplateSpec>({
    kind: 'Template',
    defaults: fillTemplateDefaults,
    validate: ({ key, spec }) => checkTemplate({ namespace: key.namespace, name: key.name, spec }, deps),
    observe: async (tx, write) =>
      commonStatus(write.current, { phase: 'Ready', findings: [] }, { now: tx.now(), generation: write.generation }),
    applied: (tx, { key }, origin) => deps.requireScope(tx, key, origin),
    admitRemoval: (tx, { key }, origin) => deps.requireScope(tx, key, origin),
  });
