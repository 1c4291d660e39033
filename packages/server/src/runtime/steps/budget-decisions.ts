import { PART, type PlacedPart } from '../contract.ts';

type BudgetDecision = 'open' | 'raised' | 'declined';

const requestIdOf = ({ part }: PlacedPart): unknown => part.payload?.['request_id'];

/** What became of the turn's questions for more budget, in the order in which they were asked. */
export const budgetDecisions = (recorded: readonly PlacedPart[]): readonly BudgetDecision[] =>
  recorded
    .filter(({ part }) => part.type === PART.REQUEST_PERMISSION && part.payload?.['kind'] === 'budget')
    .map((asked): BudgetDecision => {
      const id = requestIdOf(asked);
      const result = recorded.find((one) => one.part.type === PART.PERMISSION_RESULT && requestIdOf(one) === id);
      if (result === undefined) return 'open';
      return result.part.payload?.['decision'] === 'PERMISSION_DECISION_ALLOW' ? 'raised' : 'declined';
    });
