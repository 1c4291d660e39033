import { type AgentSpec, AgentSpecSchema } from '@svc/api/resources';
import { recordKey, SpecReader } from '../../../resources/index.ts';
import type { ActiveSession, ActiveSkillFiles, SkillReader } from '../../../tools/skill-contract.ts';
import type { SkillDirectory } from './skill-directory.ts';
import { isOutside } from './skill-rules.ts';
import type { SkillToolsDeps } from './skill-tools.ts';

/** A session with the agent whose it is. */
export type SkillSession = Omit<ActiveSession, 'identity'>;

/** Which skills are active in sessions, and the files of those that do not come from the store. */
export class ActiveSkills implements ActiveSkillFiles {
  readonly #deps: SkillToolsDeps & { readonly directory: SkillDirectory };
  readonly #specs = new SpecReader();

  constructor(deps: SkillToolsDeps & { readonly directory: SkillDirectory }) {
    this.#deps = deps;
  }

  /** The namespace of a skill that is active in the session; undefined for any other name. */
  async placeOf(session: SkillSession, name: string): Promise<string | undefined> {
    const { book, directory, store } = this.#deps;
    const own = await book.active(session.sessionId);
    if (!own.includes(name) && !fixedIn(await this.#agent(session)).includes(name)) return undefined;
    return (await directory.find(store.direct, session.namespace, name))?.namespace;
  }

  async list(session: ActiveSession): ReturnType<ActiveSkillFiles['list']> {
    const { book, directory } = this.#deps;
    const active = [...fixedIn(await this.#agent(session)), ...(await book.active(session.sessionId))];
    const own = [...new Set(active)].filter(isOutside);
    const reader = await this.#reader(session);
    const lists = await Promise.all(
      own.map(async (skill) =>
        (await directory.outsideFiles(reader, skill)).map(({ path, sizeBytes }) => ({ skill, path, sizeBytes })),
      ),
    );
    return lists.flat();
  }

  async read(session: ActiveSession, { skill, path }: Parameters<ActiveSkillFiles['read']>[1]) {
    return this.#deps.directory.outsideFile(await this.#reader(session), skill, path);
  }

  async #reader(session: ActiveSession): Promise<SkillReader> {
    const { namespace, agent, sessionId, identity } = session;
    const mcpServers = (await this.#agent(session))?.mcpServerRefs ?? [];
    return { grants: { namespace, agent, mcpServers }, sessionId, identity };
  }

  async #agent({ namespace, agent }: SkillSession): Promise<AgentSpec | undefined> {
    const record = await this.#deps.store.direct.resources.get(recordKey('Agent', namespace, agent));
    return record === undefined ? undefined : this.#specs.read(AgentSpecSchema, record);
  }
}

/** Skills that the agent has as features are active in all of its sessions. */
const fixedIn = (spec: AgentSpec | undefined): readonly string[] =>
  (spec?.features ?? []).filter(({ type }) => type === 'skill').map(({ name }) => name);
