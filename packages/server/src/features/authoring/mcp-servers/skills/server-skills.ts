import type { Clock, Log } from '../../../../base/index.ts';
import type { McpSkill } from '../../../../protocols/mcp/contract.ts';
import type { OutsideSkills, SkillReader } from '../../../../tools/skill-contract.ts';
import type { ConnectionPool, ServerLookup, WantedServer } from '../connections/index.ts';
import { SkillShelf, type SkillSlot } from './skill-shelf.ts';
import { serverOf, shownDescription, shownText, skillNames } from './skill-text-rules.ts';

export interface ServerSkillsDeps {
  readonly lookup: Pick<ServerLookup, 'find'>;
  readonly pool: Pick<ConnectionPool, 'slot'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}

interface NamedSkill {
  readonly name: string;
  readonly skill: McpSkill;
  readonly shelf: SkillShelf;
}

/**
 * The skills of the MCP servers that an agent refers to. What a reference means is read at every step, as for tools: those of a server that
 * was changed, disabled or removed are gone with the next step, and where people sign in each sees their own.
 */
export const serverSkills = ({ lookup, pool, clock, log }: ServerSkillsDeps): OutsideSkills => {
  /** They end with their slot. */
  const shelves = new WeakMap<SkillSlot, SkillShelf>();
  const shelfOf = (wanted: WantedServer): SkillShelf => {
    const slot = pool.slot(wanted);
    const names = () => ({ namespace: wanted.subject.key.namespace, server: wanted.subject.key.name });
    const known = shelves.get(slot) ?? new SkillShelf({ slot, clock, log, names });
    shelves.set(slot, known);
    return known;
  };
  const named = async (
    { grants, sessionId, identity }: SkillReader,
    server: string,
  ): Promise<readonly NamedSkill[]> => {
    const wanted = await lookup.find(grants.namespace, server, { agent: grants.agent, sessionId, identity });
    if (typeof wanted !== 'object') return [];
    if (wanted.signIn !== undefined && wanted.signIn.grant === undefined) return [];
    const shelf = shelfOf(wanted);
    const skills = await shelf.list();
    const names = skillNames(server, skills);
    return skills.map((skill, index) => ({ name: names[index] as string, skill, shelf }));
  };
  const find = async (turn: SkillReader, name: string): Promise<NamedSkill | undefined> => {
    const server = serverOf(name);
    if (!turn.grants.mcpServers.includes(server)) return undefined;
    return (await named(turn, server)).find((one) => one.name === name);
  };
  return {
    list: async (turn) => {
      const servers = turn.grants.mcpServers;
      const lists = await Promise.all(
        servers.map(async (server) =>
          (await named(turn, server)).map(({ name, skill }) => ({
            name,
            description: shownDescription(server, skill),
          })),
        ),
      );
      return lists.flat();
    },
    text: async (turn, name) => {
      const found = await find(turn, name);
      const body = await found?.shelf.text(found.skill);
      return found === undefined || body === undefined
        ? undefined
        : shownText(name, body, found.skill.files.length > 0);
    },
    files: async (turn, name) => (await find(turn, name))?.skill.files ?? [],
    file: async (turn, name, path) => {
      const found = await find(turn, name);
      const file = found?.skill.files.find((one) => one.path === path);
      return found === undefined || file === undefined ? undefined : found.shelf.file(found.skill, file);
    },
  };
};
