import type { KindDoor } from '../../../controllers/door-contract.ts';
import { type LabelSettings, labelLimits } from '../../../resources/index.ts';
import type { FeatureModule } from '../../module-contract.ts';
import { type TemplateKindDeps, templateContract } from './template-kind.ts';
import { type TemplateOperationsDeps, templateOperations } from './template-operations.ts';

interface TemplatesModuleDeps extends Omit<TemplateKindDeps, 'labelLimits' | 'requireScope'>, TemplateOperationsDeps {
  readonly templates: KindDoor;
  /** Whether deployments may render a changed template. */
  readonly placement: { readonly requireTemplate: TemplateKindDeps['requireScope'] };
  readonly settings: LabelSettings;
}

/** The kind Template and the operations of agent templates. */
export const templatesModule = (deps: TemplatesModuleDeps): FeatureModule => ({
  kinds: [
    templateContract({
      contractOf: deps.contractOf,
      promptCheck: deps.promptCheck,
      labelLimits: labelLimits(deps.settings),
      requireScope: (tx, template, origin) => deps.placement.requireTemplate(tx, template, origin),
    }),
  ],
  operations: templateOperations(deps),
});
