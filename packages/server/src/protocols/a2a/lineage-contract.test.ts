import { describe, expect, it } from 'vitest';
import { LINEAGE, readLineage, writtenLineage } from './lineage-contract.ts';

const NEAR = 'https://near.example';
const FAR = 'https://far.example';
const turn = (agent: string, namespace = 'team') => ({ namespace, agent, turnId: `turn of ${agent}` });

describe('the turns that led to a message', () => {
  it('keep their names on the way to a trusted server and back', () => {
    const sent = writtenLineage([turn('boss')], NEAR);
    expect(sent).toEqual([{ server: NEAR, namespace: 'team', agent: 'boss', turn_id: 'turn of boss' }]);
    const there = readLineage({ [LINEAGE]: sent }, { isTrusted: true, serverUrl: FAR });
    expect(there).toEqual([turn('boss', `${NEAR}|team`)]);
    const answered = writtenLineage([...there, turn('clerk')], FAR);
    const back = readLineage({ [LINEAGE]: answered }, { isTrusted: true, serverUrl: NEAR });
    expect(back).toEqual([turn('boss'), turn('clerk', `${FAR}|team`)]);
  });

  it('count and say no more when a stranger names them, or when they cannot be read', () => {
    const sent = writtenLineage([turn('boss'), turn('clerk')], NEAR);
    const none = { namespace: '', agent: '', turnId: '' };
    expect(readLineage({ [LINEAGE]: sent }, { isTrusted: false, serverUrl: NEAR })).toEqual([none, none]);
    const odd = ['x', { server: NEAR, namespace: 'team', agent: 7, turn_id: '' }, { agent: 'x'.repeat(2_000) }];
    expect(readLineage({ [LINEAGE]: odd }, { isTrusted: true, serverUrl: NEAR })).toEqual([none, none, none]);
    expect(readLineage({ [LINEAGE]: 'x' }, { isTrusted: true, serverUrl: NEAR })).toEqual([]);
    expect(readLineage({}, { isTrusted: true, serverUrl: NEAR })).toEqual([]);
  });
});
