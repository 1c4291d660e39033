import { expect, it } from 'vitest';
import { holdsUnseenValues, unseenAnnotation, unseenWrite } from './unseen-values.ts';

const SPEC = { data: { a: 'YQ==', b: 'Yg==' } };
/** Annotations of a Secret whose values at these keys were written unseen. */
const marked = (...keys: string[]) => unseenAnnotation(keys.map((key) => `/data/${key}`)) as Record<string, string>;
const write = (by: 'reader' | 'other' | 'program', given: object, annotations: Record<string, string> = {}) =>
  unseenWrite({
    ...{ kind: 'Secret', annotations, writer: by },
    given: () => JSON.stringify(given),
    whole: JSON.stringify(SPEC),
  });

it('values of a writer who may not read them are unseen, and masked ones are none', () => {
  const { fresh, annotations } = write('other', { data: { a: 'YQ==', b: '' } });
  expect([...fresh]).toEqual(['/data/a']);
  expect(annotations).toEqual(marked('a'));
  expect(write('other', { data: { b: 'Yg==' } }, marked('a')).annotations).toEqual(marked('a', 'b'));
  expect(holdsUnseenValues(marked('a'))).toBe(true);
});

it('values stay unseen until somebody writes them who may read them, or they go', () => {
  expect(write('reader', { data: { b: 'Yg==' } }, marked('a', 'b')).annotations).toEqual(marked('a'));
  expect(write('reader', SPEC, marked('a', 'b', 'gone'))).toEqual({
    fresh: new Set(),
    annotations: unseenAnnotation([]),
  });
  expect(write('other', {}, marked('a', 'gone')).annotations).toEqual(marked('a'));
});

it('what cannot be read counts as no values', () => {
  const damaged = { ...marked('a') };
  for (const name of Object.keys(damaged)) damaged[name] = 'no JSON';
  expect(write('other', { data: { b: 'Yg==' } }, damaged).annotations).toEqual(marked('b'));
  const unreadable = { kind: 'Secret', annotations: marked('a'), writer: 'other' as const };
  expect(unseenWrite({ ...unreadable, given: () => 'null', whole: JSON.stringify(SPEC) }).annotations).toEqual(
    marked('a'),
  );
});

it('a write by the program, and one of a kind without such values, leaves everything as it is', () => {
  const nothing = { fresh: new Set(), annotations: {} };
  expect(write('program', SPEC, marked('a'))).toEqual(nothing);
  expect(write('reader', SPEC)).toEqual(nothing);
  const skill = { kind: 'Skill', annotations: {}, writer: 'other' as const, given: () => '{}', whole: '{}' };
  expect(unseenWrite(skill)).toEqual(nothing);
});
