import { describe, expect, it } from 'vitest';
import { addStep, connectSteps, disconnectSteps, idProblem, removeStep, renameStep } from './edit-flow.ts';
import { readFlow } from './read-flow.ts';

const TEXT = `# what it is for
kind: Workflow
metadata:
  name: triage
spec:
  steps:
    - id: read # first
      type: agent
      agent: clerk
      prompt: "Sum up: \${$.input.letter}"
    - id: approve
      type: pause
      after: [read]
      when: { path: $.steps.read.output, exists: true }
      prompt: "Send \${$.steps.read.output} and \${$.steps.read-more.output}?"
  output:
    summary: \${$.steps["read"].output}
`;

describe('a graph edits the text', () => {
  it('gives a step another id wherever it is used, and nowhere else', () => {
    expect(renameStep(TEXT, 'read', 'scan')).toBe(`# what it is for
kind: Workflow
metadata:
  name: triage
spec:
  steps:
    - id: scan # first
      type: agent
      agent: clerk
      prompt: "Sum up: \${$.input.letter}"
    - id: approve
      type: pause
      after: [ scan ]
      when: { path: $.steps.scan.output, exists: true }
      prompt: "Send \${$.steps.scan.output} and \${$.steps.read-more.output}?"
  output:
    summary: \${$.steps.scan.output}
`);
  });

  it('adds a step behind another one, with an id that is free', () => {
    const once = addStep(TEXT, 'pause', 'approve');
    const twice = addStep(once.text, 'pause');
    expect([once.id, twice.id]).toEqual(['pause', 'pause-2']);
    expect(readFlow(twice.text).steps.slice(2)).toEqual([
      { id: 'pause', type: 'pause', after: ['approve'], does: '' },
      { id: 'pause-2', type: 'pause', after: [], does: '' },
    ]);
    expect(twice.text).toContain('- id: read # first');
  });

  it('begins the list of steps', () => {
    expect(addStep('kind: Workflow\nspec:\n  steps: []\n', 'wait').text).toBe(
      'kind: Workflow\nspec:\n  steps:\n    - id: wait\n      type: wait\n      duration: 1m\n',
    );
    expect(addStep('kind: Workflow\n', 'transform').text).toContain('  steps:\n    - id: transform\n');
  });

  it('connects and disconnects', () => {
    const two = addStep(TEXT, 'wait').text;
    const connected = connectSteps(connectSteps(two, 'read', 'wait'), 'approve', 'wait');
    expect(readFlow(connected).steps[2]?.after).toEqual(['read', 'approve']);
    expect(connectSteps(connected, 'read', 'wait')).toBe(connected);
    expect(readFlow(disconnectSteps(connected, 'read', 'wait')).steps[2]?.after).toEqual(['approve']);
    expect(disconnectSteps(TEXT, 'read', 'approve')).not.toContain('after');
  });

  it('removes a step and the waits for it', () => {
    expect(readFlow(removeStep(TEXT, 'read')).steps).toEqual([
      {
        id: 'approve',
        type: 'pause',
        after: [],
        does: 'Send ${$.steps.read.output} and ${$.steps.read-more.output}?',
      },
    ]);
  });
});

describe('readFlow', () => {
  it('tells what is wrong with a text that is no YAML, and reads half of one', () => {
    expect(readFlow('spec: [').problem).toContain('Flow sequence');
    expect(readFlow('spec:\n  steps:\n    - id: a\n    -\n').steps).toEqual([
      { id: 'a', type: '', after: [], does: '' },
      { id: '', type: '', after: [], does: '' },
    ]);
    expect(readFlow('').steps).toEqual([]);
  });
});

it('says why an id cannot be used', () => {
  expect(idProblem('ok-1', ['other'])).toBeUndefined();
  expect(idProblem('1a', [])).toContain('A letter first');
  expect(idProblem('other', ['other'])).toBe('Another step has this id.');
});
