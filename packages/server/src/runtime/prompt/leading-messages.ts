import type { ModelMessage } from '../../models/contract.ts';
import type { KeptMessage, PromptRequest } from '../contract.ts';

/** Text of the platform: no user wrote it. */
export const addedText = (text: string): ModelMessage['content'][number] => ({ type: 'text', text, isAdded: true });

/** A block of the system message; a blank line is between two of them. */
export interface SystemBlock {
  readonly source: 'system_prompt' | 'skill_catalogue' | 'goals';
  readonly text: string;
}

/** What the system message is made of, in order; blocks without text are left out. */
export const systemBlocks = (request: PromptRequest, systemPrompt: string): readonly SystemBlock[] => {
  const blocks: readonly SystemBlock[] = [
    { source: 'system_prompt', text: systemPrompt },
    { source: 'skill_catalogue', text: catalogueText(request) },
    { source: 'goals', text: goalsText(request) },
  ];
  return blocks.filter(({ text }) => text !== '');
};

/** What opens every prompt: the system message with catalogue and goals, then the text of each active skill. */
export const leadingMessages = (request: PromptRequest, blocks: readonly SystemBlock[]): readonly ModelMessage[] => {
  const text = blocks.map((block) => block.text).join('\n\n');
  const system: ModelMessage[] = text === '' ? [] : [{ role: 'system', content: [{ type: 'text', text }] }];
  const active = request.skills?.active ?? [];
  return [
    ...system,
    ...active.map((skill): ModelMessage => ({ role: 'user', content: [addedText(skillText(skill))] })),
  ];
};

/** Messages that compactions kept, behind the summary: rules as system messages, pinned ones as what they are. */
export const keptMessages = (kept: readonly KeptMessage[]): readonly ModelMessage[] =>
  kept.map(({ isSystem, text }) =>
    isSystem
      ? { role: 'system', content: [{ type: 'text', text }] }
      : { role: 'user', content: [addedText('Pinned message, word for word:'), { type: 'text', text }] },
  );

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const ACTIVATE_SKILL = 'activate_skill';

/** '' unless the turn offers the tool that the text names: a prompt must not tell a model to call what it does not have. */
const catalogueText = (request: PromptRequest): string => {
  if (!request.tools.some((tool) => tool.name === ACTIVATE_SKILL)) return '';
  const skills = [...(request.skills?.catalogue ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1));
  if (skills.length === 0) return '';
  const lines = skills.map(({ name, description }) => `- ${name}: ${oneLine(description)}`);
  return [`Skills that ${ACTIVATE_SKILL} can load:`, ...lines].join('\n');
};

const goalsText = (request: PromptRequest): string => {
  const goals = request.goals ?? [];
  if (goals.length === 0) return '';
  return ['Active goals of this conversation:', ...goals.map(goalLine)].join('\n');
};

const goalLine = (goal: NonNullable<PromptRequest['goals']>[number]): string => {
  const criteria = goal.successCriteria === '' ? '' : ` Reached when: ${oneLine(goal.successCriteria)}`;
  const progress = goal.progress === '' ? '' : ` Progress: ${oneLine(goal.progress)}`;
  return `- ${oneLine(goal.objective)}${criteria}${progress}`;
};

const skillText = (skill: { readonly name: string; readonly text: string | undefined }): string =>
  skill.text === undefined
    ? `[The skill ${skill.name} is no longer available.]`
    : `<skill name=${JSON.stringify(skill.name)}>\n${skill.text}\n</skill>`;
