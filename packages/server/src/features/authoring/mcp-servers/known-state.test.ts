import { describe, expect, it } from 'vitest';
import { McpFailure, type McpFailureKind } from '../../../protocols/mcp/contract.ts';
import { commonStatus } from '../../../resources/index.ts';
import { foundState, knownState } from './known-state.ts';

const TOOLS = [{ name: 'a', description: '', inputSchema: {}, isReadOnly: true }];
const listed = (facts: object = {}) => ({
  server: { name: 'files', version: '1.0', protocol: '2026-07-28', ...facts },
  tools: TOOLS,
});

describe('what an attempt found', () => {
  it('is that the server is reachable, what it says of itself, and how many tools it has', () => {
    expect(foundState(listed(), undefined)).toEqual([
      {
        type: 'Reachable',
        status: 'True',
        reason: 'Connected',
        message: 'protocol 2026-07-28, files 1.0',
      },
      { type: 'ToolsListed', status: 'True', reason: 'Listed', message: '1 tools' },
    ]);
    expect(foundState(listed({ name: `\u001b[31m\n${'x'.repeat(500)}` }), undefined)[0].message).toMatch(
      /^protocol 2026-07-28, \[31m x{90,95}$/,
    );
  });

  it('is which tools of the allowlist the server does not have', () => {
    expect(foundState(listed(), ['a', 'b'])[1]).toMatchObject({
      status: 'False',
      reason: 'ToolsMissing',
      message: 'the server has no tools named b',
    });
  });

  it.each([
    ['connect', 'connect', 'ConnectFailed'],
    ['refused', 'connect', 'ConnectFailed'],
    ['auth', 'list', 'AuthFailed'],
    ['timeout', 'list', 'Timeout'],
    ['malformed', 'list', 'ListFailed'],
  ] as const)('%s at %s is %s', (kind: McpFailureKind, at, reason) => {
    expect(foundState({ failure: new McpFailure(kind, 'why'), at }, undefined)).toEqual([
      { type: 'Reachable', status: 'False', reason, message: 'why' },
      { type: 'ToolsListed', status: 'Unknown', reason },
    ]);
  });
});

describe('what is known of a server', () => {
  const stored = (generation: number) => {
    const findings = foundState({ failure: new McpFailure('auth', 'no'), at: 'connect' }, undefined);
    const status = commonStatus(undefined, { phase: 'Degraded', findings }, { now: 1, generation });
    const conditions = status.conditions.map((one) => ({
      ...one,
      observedGeneration: String(one.observedGeneration),
      lastTransitionTime: '1',
    }));
    return { status: JSON.stringify({ conditions }) };
  };

  it('is what its status says of the same generation', () => {
    expect(knownState(stored(2), 2)).toMatchObject([
      { type: 'Reachable', status: 'False', reason: 'AuthFailed', message: 'no' },
      { type: 'ToolsListed', status: 'Unknown', reason: 'AuthFailed' },
    ]);
    expect(knownState(stored(2), 3)).toBeUndefined();
  });

  it('is nothing before the first attempt', () => {
    expect(knownState(undefined, 1)).toBeUndefined();
    expect(knownState({ status: '{}' }, 1)).toBeUndefined();
    const untried = [
      { type: 'Reachable', reason: 'Disabled' },
      { type: 'ToolsListed', reason: 'Disabled' },
    ];
    expect(knownState({ status: JSON.stringify({ conditions: untried }) }, 1)).toBeUndefined();
  });
});
