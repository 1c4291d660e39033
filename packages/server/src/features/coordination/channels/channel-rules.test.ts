import { describe, expect, it } from 'vitest';
import { checkPhase, phaseOf, STATE_ANNOTATION, settleState } from './channel-rules.ts';

const state = (value?: string): Record<string, string> => (value === undefined ? {} : { [STATE_ANNOTATION]: value });

describe('the state of a channel', () => {
  it.each([
    { phase: '', said: undefined, current: undefined, stored: undefined },
    { phase: 'open', said: undefined, current: undefined, stored: undefined },
    { phase: 'closed', said: undefined, current: undefined, stored: 'closed' },
    { phase: '', said: 'closed', current: undefined, stored: 'closed' },
    { phase: 'open', said: 'closed', current: undefined, stored: 'open' },
    { phase: '', said: undefined, current: 'closed', stored: 'closed' },
    { phase: 'open', said: 'closed', current: 'closed', stored: 'open' },
    { phase: 'closed', said: 'open', current: 'closed', stored: 'open' },
    { phase: 'closed', said: undefined, current: 'closed', stored: 'closed' },
    { phase: 'open', said: undefined, current: 'closed', stored: undefined },
    { phase: 'open', said: 'ajar', current: 'closed', stored: 'ajar' },
  ] as const)('is settled from phase "$phase", annotation $said and stored $current', (requested) => {
    const { phase, said, current, stored } = requested;
    const annotations = { other: 'kept', ...state(said) };
    expect(settleState({ phase, annotations, current })).toEqual({ other: 'kept', ...state(stored) });
  });

  it('is open unless the annotation says closed', () => {
    expect([phaseOf({}), phaseOf(state('open')), phaseOf(state('closed'))]).toEqual(['open', 'open', 'closed']);
  });

  it('has no other words', () => {
    expect(checkPhase('Open')).toMatchObject([{ field: 'status.phase', reason: 'CHANNEL_STATE' }]);
    expect([checkPhase(''), checkPhase('open'), checkPhase('closed')]).toEqual([[], [], []]);
  });
});
