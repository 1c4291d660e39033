import type { ActiveSkillFiles } from '../../../tools/skill-contract.ts';
import type { FeatureModule } from '../../module-contract.ts';
import { ActiveSkills, type SkillSession } from './active-skills.ts';
import { SkillDirectory, type SkillDirectoryDeps } from './skill-directory.ts';
import { skillContract } from './skill-kind.ts';
import { type SkillToolsDeps, skillTools } from './skill-tools.ts';

export interface SkillsModule extends FeatureModule {
  /** Skills as turns see them. */
  readonly directory: SkillDirectory;
  /** What tools of files ask of skills. */
  readonly forFiles: {
    /** The namespace of a skill that is active in the session; undefined for any other name. */
    readonly activeSkill: (session: SkillSession, name: string) => Promise<string | undefined>;
    /** Files of skills of MCP servers. */
    readonly skillFiles: ActiveSkillFiles;
  };
}

/** The kind Skill, which has no operations of its own, and the tools that activate skills. */
export const skillsModule = (deps: SkillDirectoryDeps & SkillToolsDeps): SkillsModule => {
  const directory = new SkillDirectory(deps);
  const active = new ActiveSkills({ ...deps, directory });
  return {
    kinds: [skillContract()],
    toolSources: [skillTools({ ...deps, directory })],
    directory,
    forFiles: { activeSkill: (session, name) => active.placeOf(session, name), skillFiles: active },
  };
};
