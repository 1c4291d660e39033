import { describe, expect, it } from 'vitest';
import { canonicalJson, isJsonMap, type JsonData, type JsonMap } from '../canonical-json.ts';
import { type MergeInput, mergeFields, type OwnedFields, withoutRemnants } from './index.ts';

const digest = (pointer: string, value: JsonData): string => `${pointer}=${canonicalJson(value)}`;
const owned = (fields: JsonMap): OwnedFields =>
  Object.fromEntries(
    Object.entries(fields).map(([pointer, value]) => {
      const text = digest(pointer, value);
      return [pointer, { said: text, stored: text }];
    }),
  );
/** As a kind that fills `kind` of every `auth`, also of an inner one. */
const filled = (spec: JsonMap): JsonMap => {
  const fill = (map: JsonMap): JsonMap => ({
    ...map,
    ...(isJsonMap(map['auth']) ? { auth: fill({ kind: 'apiKey', ...map['auth'] }) } : {}),
  });
  return fill(spec);
};
const left = (spec: JsonMap, more: Partial<MergeInput>): JsonData => {
  const live = { metadata: { labels: {}, annotations: {} }, spec };
  const input: MergeInput = {
    ...{ manager: 'me', wanted: { spec: {} }, live, ownership: {}, force: false, setsUnowned: true, digest },
    ...more,
  };
  return withoutRemnants(input, mergeFields(input), filled)['spec'] ?? {};
};

describe('what a removal leaves of a message', () => {
  const auth = { kind: 'apiKey', apiKey: { plain: 'x' } };
  const mine = owned({ '/spec/auth/apiKey/plain': 'x' });

  it('goes when only defaults are left, and nothing else does', () => {
    expect(left({ auth, other: 1 }, { ownership: { me: mine } })).toEqual({ other: 1 });
    expect(left({ auth: { auth } }, { ownership: { me: owned({ '/spec/auth/auth/apiKey/plain': 'x' }) } })).toEqual({});
    expect(left({ title: 'x' }, { ownership: { me: owned({ '/spec/title': 'x' }) } })).toEqual({});
  });

  it('stays when somebody gave it a value, or speaks of it', () => {
    const said = { ...auth, kind: 'other' };
    expect(left({ auth: said }, { ownership: { me: mine } })).toEqual({ auth: { kind: 'other' } });
    const yours = owned({ '/spec/auth/kind': 'apiKey' });
    expect(left({ auth }, { ownership: { me: mine, you: yours } })).toEqual({ auth: { kind: 'apiKey' } });
    const taken = { '/spec/auth/kind': { said: '', stored: '', isTaken: true } };
    expect(left({ auth }, { ownership: { me: mine, you: taken } })).toEqual({});
    expect(left({ auth }, { ownership: { me: mine }, wanted: { spec: { auth: {} } } })).toEqual({
      auth: { kind: 'apiKey' },
    });
    expect(left({ auth: { ...auth, apiKey: { plain: 'edited' } } }, { ownership: { me: mine } })).toEqual({
      auth: { ...auth, apiKey: { plain: 'edited' } },
    });
  });

  it('is looked for only where something was removed', () => {
    expect(left({ auth: { kind: 'apiKey' } }, {})).toEqual({ auth: { kind: 'apiKey' } });
    const label = owned({ '/metadata/labels/a': 'b' });
    expect(left({ auth: { kind: 'apiKey' } }, { ownership: { me: label } })).toEqual({ auth: { kind: 'apiKey' } });
  });
});

it('an empty map that is wanted stays when what was in it goes', () => {
  const ownership = { me: owned({ '/spec/consumer/session/agent': 'a' }) };
  const live = { spec: { consumer: { session: { agent: 'a' } } } };
  const input: MergeInput = {
    ...{ manager: 'me', live, ownership, force: false, setsUnowned: true, digest },
    wanted: { spec: { consumer: { session: {} } } },
  };
  expect(mergeFields(input).merged).toEqual({ spec: { consumer: { session: {} } } });
});
