import { create } from '@bufbuild/protobuf';
import { ConfigurationValueSchema } from '@svc/api/gateway';
import { expect, it } from 'vitest';
import { matching } from './configuration-filter.ts';

const values = [
  { key: 'server.listen', valueJson: '"127.0.0.1:7420"', source: 'flag server.listen' },
  { key: 'auth.mode', valueJson: '"none"', source: 'default' },
].map((value) => create(ConfigurationValueSchema, value));

it('finds keys by their name, value and source, in any case', () => {
  const keys = (text: string, onlySet = false): readonly string[] =>
    matching(values, text, onlySet).map(({ key }) => key);
  expect(keys('')).toEqual(['server.listen', 'auth.mode']);
  expect(keys(' AUTH')).toEqual(['auth.mode']);
  expect(keys('7420')).toEqual(['server.listen']);
  expect(keys('flag')).toEqual(['server.listen']);
  expect(keys('', true)).toEqual(['server.listen']);
  expect(keys('nothing')).toEqual([]);
});
