import type { TemplateSpec } from '@svc/api/resources';
import { type KindContract, kindContract } from '../../controllers/contract.ts';
import { commonStatus } from '../../resources/index.ts';
import { checkTemplate, fillTemplateDefaults, type TemplateRuleDeps } from './template-rules.ts';

/** How templates are written, whichever door they come through (PL-4). A stored template is Ready. */
export const templateContract = (deps: TemplateRuleDeps): KindContract =>
  kindContract<TemplateSpec>({
    kind: 'Template',
    defaults: fillTemplateDefaults,
    validate: ({ key, spec }) => checkTemplate({ namespace: key.namespace, name: key.name, spec }, deps),
    observe: async (tx, write) =>
      commonStatus(write.current, { phase: 'Ready', findings: [] }, { now: tx.now(), generation: write.generation }),
  });
