import { describe, expect, it } from 'vitest';
import { testPlan } from '../testing/plans.ts';
import {
  credentialProblems,
  DAYTONA_RULES,
  E2B_RULES,
  hostedProblems,
  hostedSettings,
  planProblem,
} from './hosted-settings-rules.ts';

const offered = { urls: ['e2b.app', 'https://e2b.example'], env: ['E2B_API_KEY'] };
const fields = (problems: readonly { readonly field: string }[]): readonly string[] =>
  problems.map(({ field }) => field);

describe('what a class says of a hosted service', () => {
  it('has defaults', () => {
    expect(hostedSettings(E2B_RULES, {}, offered)).toEqual({ url: 'e2b.app', template: 'base', image: '', target: '' });
    const given = { url: 'https://e2b.example', template: 'team/python' };
    expect(hostedSettings(E2B_RULES, given, offered)).toMatchObject(given);
    expect(hostedProblems(E2B_RULES, given, offered)).toEqual([]);
    expect(hostedSettings(DAYTONA_RULES, { snapshot: 's', target: 'eu', image: 7 }, { urls: [], env: [] })).toEqual({
      url: '',
      template: 's',
      image: '',
      target: 'eu',
    });
  });

  it('is refused by the name of each field that the service cannot keep', () => {
    const wrong = {
      template: '../x',
      url: 'https://thief.example',
      cpu: 1,
      memory: '1GiB',
      disk: '1GiB',
      pids: 5,
      allowHostNetwork: true,
      allowedHosts: ['a.example', 'b.example:22'],
    };
    expect(fields(hostedProblems(E2B_RULES, wrong, offered))).toEqual(Object.keys(wrong));
    const sized = { image: 'python:3.13', cpu: 2, memory: '4GiB', disk: 5 * 1_073_741_824 };
    expect(hostedProblems(DAYTONA_RULES, sized, offered)).toEqual([]);
    const odd = { image: 'python:3.13', memory: '1.5GiB', disk: true, cpu: 0.5, pids: 5 };
    expect(fields(hostedProblems(DAYTONA_RULES, odd, offered))).toEqual(['pids', 'memory', 'disk', 'cpu']);
    expect(fields(hostedProblems(DAYTONA_RULES, { cpu: 1, snapshot: 'x' }, offered))).toEqual(['cpu']);
    expect(fields(hostedProblems(DAYTONA_RULES, { image: 'a', snapshot: 'b' }, offered))).toEqual(['image']);
  });

  it('has a key: itself, a reference to a secret, or a variable that the server offers', () => {
    const problems = (credentials: Readonly<Record<string, unknown>>) =>
      fields(credentialProblems(credentials, { name: 'e2b', env: ['E2B_API_KEY'] }));
    for (const apiKey of ['e2b_1', 'secret://a/b', 'env:E2B_API_KEY']) expect(problems({ apiKey })).toEqual([]);
    for (const apiKey of ['env:DATABASE_URL', '', 7]) expect(problems({ apiKey })).toEqual(['apiKey']);
    expect(problems({ token: 'x' })).toEqual(['token']);
  });

  it('cannot keep every plan', () => {
    expect(planProblem(testPlan('a'))).toBe('');
    expect(planProblem(testPlan('a', { readonly: ['/x'] }))).toContain('readonly');
    expect(planProblem(testPlan('a', { network: { mode: 'host' } }))).toContain('host');
  });
});
