import { type AgentSpec, AgentSpecSchema } from '@svc/api/resources';
import { recordKey, SpecReader } from '../../../resources/index.ts';
import type { FeatureModule } from '../../module-contract.ts';
import { SkillDirectory, type SkillDirectoryDeps } from './skill-directory.ts';
import { skillContract } from './skill-kind.ts';
import { type SkillToolsDeps, skillTools } from './skill-tools.ts';

/** A session with the agent whose it is. */
interface SkillSession {
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
}

export interface SkillsModule extends FeatureModule {
  /** Skills as turns see them. */
  readonly directory: SkillDirectory;
  /** The namespace of a skill that is active in the session; undefined for any other name. */
  readonly activeSkill: (session: SkillSession, name: string) => Promise<string | undefined>;
}

/** The kind Skill, which has no operations of its own, and the tools that activate skills. */
export const skillsModule = (deps: SkillDirectoryDeps & SkillToolsDeps): SkillsModule => {
  const directory = new SkillDirectory(deps);
  return {
    kinds: [skillContract()],
    toolSources: [skillTools({ ...deps, directory })],
    directory,
    activeSkill: activeSkills({ ...deps, directory }),
  };
};

const activeSkills = ({
  store,
  book,
  directory,
}: SkillToolsDeps & { readonly directory: SkillDirectory }): SkillsModule['activeSkill'] => {
  const specs = new SpecReader();
  return async ({ namespace, agent, sessionId }, name) => {
    const own = await book.active(sessionId);
    const record = own.includes(name)
      ? undefined
      : await store.direct.resources.get(recordKey('Agent', namespace, agent));
    const spec: AgentSpec | undefined = record === undefined ? undefined : specs.read(AgentSpecSchema, record);
    const isFixed = spec?.features.some((feature) => feature.type === 'skill' && feature.name === name) === true;
    if (!own.includes(name) && !isFixed) return undefined;
    return (await directory.find(store.direct, namespace, name))?.namespace;
  };
};
