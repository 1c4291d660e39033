import { describe, expect, it } from 'vitest';
import { explanationAt, suggestionsAt } from './manifest-help.ts';

const suggested = (marked: string): ReturnType<typeof suggestionsAt> =>
  suggestionsAt(marked.replace('|', ''), marked.indexOf('|'));
const labels = (marked: string): readonly string[] | undefined => suggested(marked)?.options.map(({ label }) => label);
const explained = (marked: string): ReturnType<typeof explanationAt> =>
  explanationAt(marked.replace('|', ''), marked.indexOf('|'));

describe('suggestionsAt', () => {
  it('offers the fields of the kind that are not there yet', () => {
    expect(labels('kind: Skill\nspec:\n  description: x\n  |')).toEqual(['instructions']);
    expect(labels('|')).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
  });

  it('offers the short forms of a schedule instead of the stored ones', () => {
    const found = labels('kind: Schedule\nspec:\n  |') ?? [];
    expect(found).toContain('input');
    expect(found).toContain('interval');
    expect(found).not.toContain('inputJson');
    expect(found).not.toContain('intervalSeconds');
  });

  it('knows the items of lists and the spec inside of a template', () => {
    expect(labels('kind: Agent\nspec:\n  features:\n    - name: a\n      |')).toEqual(['type', 'required']);
    expect(labels('kind: Template\nspec:\n  kind: Skill\n  spec:\n    |')).toEqual(['description', 'instructions']);
  });

  it('offers values', () => {
    expect(labels('kind: File\nspec:\n  purpose: |')).toEqual(['memory', 'artifact', 'skill']);
    expect(labels('kind: Agent\nspec:\n  features:\n    - required: |')).toEqual(['true', 'false']);
    expect(labels('kind: |')).toContain('Workflow');
    expect(labels('kind: |')).not.toContain('Session');
  });

  it('writes what a field begins with', () => {
    const texts = suggested('kind: Agent\nspec:\n  |')?.options ?? [];
    expect(texts.find(({ label }) => label === 'systemPrompt')?.text).toBe('systemPrompt: ');
    expect(texts.find(({ label }) => label === 'features')?.text).toBe('features:\n    - ');
    expect(texts.find(({ label }) => label === 'runtime')?.text).toBe('runtime:\n    ');
  });

  it('offers nothing where it knows nothing', () => {
    expect(suggested('kind: Agent\nspec:\n  capabilities:\n    |')).toBeUndefined();
    expect(suggested('kind: Widget\nspec:\n  |')).toBeUndefined();
    expect(labels('kind: Agent\nmetadata:\n  |')).not.toContain('uid');
  });
});

describe('explanationAt', () => {
  it('says what a field means, with type, default and values', () => {
    expect(explained('kind: Agent\nspec:\n  features:\n    - na|me: x')).toEqual({
      from: 36,
      to: 40,
      title: 'name',
      text: 'Name of what is needed; unique in the list.\nType: string. Required.',
    });
    expect(explained('kind: File\nspec:\n  pur|pose: memory')?.text).toBe(
      'What the file is for.\nType: FilePurpose.\nDefault: FILE_PURPOSE_ARTIFACT.\nOne of memory, artifact, skill.',
    );
  });

  it('says what a value means', () => {
    expect(explained('kind: File\nspec:\n  purpose: mem|ory')).toMatchObject({
      title: 'memory',
      text: 'What memory tools see.',
    });
  });

  it('says nothing of what it does not know', () => {
    expect(explained('kind: Agent\nspec:\n  oth|er: x')).toBeUndefined();
  });
});
