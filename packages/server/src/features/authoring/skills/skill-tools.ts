import { textOrEmpty } from '../../../base/index.ts';
import type { Store } from '../../../store/contracts/index.ts';
import { jsonResult } from '../../../tools/authority-contract.ts';
import { errorResult, type Tool, type ToolSource, type ToolTurn } from '../../../tools/contract.ts';
import { MAX_ACTIVE_SKILLS, type SkillBook } from '../../../tools/skill-contract.ts';
import type { SkillDirectory } from './skill-directory.ts';

export interface SkillToolsDeps {
  readonly store: Pick<Store, 'read' | 'direct'>;
  readonly book: SkillBook;
}

type Deps = SkillToolsDeps & { readonly directory: SkillDirectory };

/** Of a skill of an MCP server: two names of at most 64 characters, a slash and a hash. */
const NAME_MAX = 140;
const NAME = { type: 'string', minLength: 1, maxLength: NAME_MAX } as const;
const SCHEMA = { type: 'object', properties: { name: NAME }, required: ['name'], additionalProperties: false } as const;

/** activate_skill and deactivate_skill, for agents that see a skill. */
export const skillTools = (deps: Deps): ToolSource => ({
  name: 'skills',
  names: ['activate_skill', 'deactivate_skill'],
  concerns: () => true,
  tools: async (turn) => {
    const { store, directory } = deps;
    const isAny =
      (await store.read((tx) => directory.hasSkills(tx, turn.grants.namespace))) ||
      (await directory.outside(turn)).length > 0;
    return isAny ? [activateSkill(deps, turn), deactivateSkill(deps, turn)] : [];
  },
});

/** Skills that the agent has as features are active in all of its sessions. */
const fixedSkills = ({ grants }: ToolTurn): readonly string[] =>
  grants.features.filter(({ type }) => type === 'skill').map(({ name }) => name);

const activateSkill = ({ store, directory, book }: Deps, turn: ToolTurn): Tool => ({
  name: 'activate_skill',
  description: 'Loads the instructions of a skill into this conversation, where they stay until deactivate_skill.',
  inputSchema: SCHEMA,
  effect: 'write',
  needsTurn: true,
  run: async ({ sessionId }, input) => {
    const name = textOrEmpty(input['name']);
    const fixed = fixedSkills(turn);
    if (!(await directory.isOffered(store.direct, turn, name)))
      return errorResult('activate_skill', 'failed', 'there is no skill of this name');
    if (fixed.includes(name)) return jsonResult({ active: [...fixed, ...(await book.active(sessionId))] });
    const own = await book.activate(sessionId, name, Math.max(0, MAX_ACTIVE_SKILLS - fixed.length));
    return jsonResult({ active: [...fixed, ...own] });
  },
});

const deactivateSkill = ({ book }: Deps, turn: ToolTurn): Tool => ({
  name: 'deactivate_skill',
  description: 'Takes the instructions of a skill out of this conversation.',
  inputSchema: SCHEMA,
  effect: 'write',
  needsTurn: true,
  run: async ({ sessionId }, input) => {
    const name = textOrEmpty(input['name']);
    const fixed = fixedSkills(turn);
    if (fixed.includes(name))
      return errorResult('deactivate_skill', 'failed', 'this skill is a feature of the agent and stays active');
    return jsonResult({ active: [...fixed, ...(await book.deactivate(sessionId, name))] });
  },
});
