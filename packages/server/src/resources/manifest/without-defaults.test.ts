import { expect, it } from 'vitest';
import { withoutDefaults } from './without-defaults.ts';

it('leaves out what fields have anyway, at every depth', () => {
  const spec = {
    systemPrompt: 'Be kind.',
    postHistoryPrompt: '',
    features: [{ name: 'chat', type: '', required: false }],
    mcpServerRefs: [],
    capabilities: {},
    modelPolicy: {
      profiles: [
        { name: 'default', model: { provider: '', name: 'echo', temperature: 0 } },
        { name: '', model: {} },
      ],
    },
  };
  expect(withoutDefaults('Agent', spec)).toEqual({
    systemPrompt: 'Be kind.',
    features: [{ name: 'chat' }],
    modelPolicy: { profiles: [{ name: 'default', model: { name: 'echo', temperature: 0 } }, { model: {} }] },
  });
});

it('keeps what is not the same when it is absent', () => {
  // Absent means enabled.
  const schedule = { kind: 'at', intervalSeconds: 0, enabled: false, target: { agent: 'a', sessionMode: '' } };
  expect(withoutDefaults('Schedule', schedule)).toEqual({ kind: 'at', enabled: false, target: { agent: 'a' } });
  const capabilities = { files: ['read', { action: '', never: false }], none: [] };
  expect(withoutDefaults('Agent', { capabilities })).toEqual({ capabilities });
  expect(withoutDefaults('Secret', { type: '', data: { token: '' } })).toEqual({ data: { token: '' } });
});

it('knows the first value of an enum by its name', () => {
  const path = '/notes/a.md';
  expect(withoutDefaults('File', { path, purpose: 'FILE_PURPOSE_UNSPECIFIED' })).toEqual({ path });
  const spec = { path, retention: 'FILE_RETENTION_RETAINED' };
  expect(withoutDefaults('File', spec)).toEqual(spec);
});

it('touches nothing of custom kinds, and no field that it does not know', () => {
  const spec = { a: '', b: [], c: { d: false } };
  expect(withoutDefaults('Gadget', spec)).toBe(spec);
  expect(withoutDefaults('Channel', { title: '', later: '' })).toEqual({ later: '' });
  const strange = { modelPolicy: { profiles: ['text'] }, runtime: 'text' };
  expect(withoutDefaults('Agent', strange)).toEqual(strange);
});
