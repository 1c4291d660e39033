import type { FeatureModule } from '../../module-contract.ts';
import { SkillDirectory, type SkillDirectoryDeps } from './skill-directory.ts';
import { skillContract } from './skill-kind.ts';

export interface SkillsModule extends FeatureModule {
  /** Skills as turns see them. */
  readonly directory: SkillDirectory;
}

/** The kind Skill, which has no operations of its own. */
export const skillsModule = (deps: SkillDirectoryDeps): SkillsModule => ({
  kinds: [skillContract()],
  directory: new SkillDirectory(deps),
});
