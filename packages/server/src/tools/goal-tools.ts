import { textOrEmpty } from '../base/index.ts';
import { errorResult, type Tool, textResult } from './contract.ts';
import { GOAL_PHASES, type Goal, type GoalBook, type GoalPhase } from './goal-contract.ts';

/** list_goals, create_goal, update_goal: the native tools that store something, and therefore need approval rules. */
export const createGoalTools = (book: GoalBook): readonly Tool[] => [
  listGoals(book),
  createGoal(book),
  updateGoal(book),
];

const MAX_OBJECTIVE = 1000;
const MAX_CRITERIA = 4000;
const ID_CHARS = 16;

const shown = (goal: Goal): Readonly<Record<string, unknown>> => ({
  goal_id: goal.id,
  objective: goal.objective,
  success_criteria: goal.successCriteria,
  phase: goal.phase,
  progress: goal.progress,
});

const isPhase = (value: unknown): value is GoalPhase => GOAL_PHASES.some((phase) => phase === value);

const listGoals = (book: GoalBook): Tool => ({
  name: 'list_goals',
  description: 'Lists the goals of this conversation with their phase and progress.',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  effect: 'read',
  needsTurn: true,
  capability: { name: 'goals', action: 'inspect' },
  run: async (context) => {
    const goals = (await book.list(context.sessionId)).map(shown);
    return textResult(JSON.stringify(goals), goals);
  },
});

const createGoal = (book: GoalBook): Tool => ({
  name: 'create_goal',
  description: 'Records a goal of this conversation. It stays in view until update_goal ends it.',
  inputSchema: {
    type: 'object',
    properties: {
      objective: { type: 'string', minLength: 1, maxLength: MAX_OBJECTIVE, description: 'what shall be reached' },
      success_criteria: { type: 'string', maxLength: MAX_CRITERIA, description: 'how to tell that it is reached' },
    },
    required: ['objective'],
    additionalProperties: false,
  },
  effect: 'write',
  needsTurn: true,
  capability: { name: 'goals', action: 'create' },
  run: async (context, input) => {
    const goal = await book.create(context.sessionId, {
      id: `goal_${context.idempotencyKey.slice(0, ID_CHARS)}`,
      objective: textOrEmpty(input['objective']),
      successCriteria: textOrEmpty(input['success_criteria']),
      phase: 'active',
      progress: '',
      createdAt: context.nowMicros,
      updatedAt: context.nowMicros,
    });
    return textResult(JSON.stringify(shown(goal)), shown(goal));
  },
});

const updateGoal = (book: GoalBook): Tool => ({
  name: 'update_goal',
  description: 'Changes the progress note of a goal or ends it.',
  inputSchema: {
    type: 'object',
    properties: {
      goal_id: { type: 'string', minLength: 1, maxLength: 64 },
      phase: { type: 'string', enum: [...GOAL_PHASES] },
      progress: { type: 'string', maxLength: MAX_CRITERIA },
    },
    required: ['goal_id'],
    additionalProperties: false,
  },
  effect: 'write',
  needsTurn: true,
  capability: { name: 'goals', action: 'update' },
  run: async (context, input) => {
    const { phase, progress } = input;
    const goal = await book.update(context.sessionId, textOrEmpty(input['goal_id']), {
      ...(isPhase(phase) ? { phase } : {}),
      ...(typeof progress === 'string' ? { progress } : {}),
      updatedAt: context.nowMicros,
    });
    if (goal === undefined) return errorResult('update_goal', 'failed', 'this conversation has no such goal');
    return textResult(JSON.stringify(shown(goal)), shown(goal));
  },
});
