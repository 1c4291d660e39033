import { expect, it } from 'vitest';
import { modelNames, possibleNames, serverPrefix } from './remote-name-rules.ts';

const names = (...tools: readonly (readonly [server: string, tool: string])[]): readonly string[] =>
  modelNames(tools.map(([server, tool]) => ({ server, tool })));

it('puts server and tool into a name that models may use', () => {
  expect(names(['files', 'read_file'], ['my-web.tools', 'Get  Weather!'], ['a', '_x_'])).toEqual([
    'mcp_files_read_file',
    'mcp_my_web_tools_get_weather',
    'mcp_a_x',
  ]);
});

it('keeps names of up to 64 characters and shortens longer ones by a hash of what they stand for', () => {
  const [fits = '', long = '', other = ''] = names(['s', 'x'.repeat(58)], ['s', 'x'.repeat(59)], ['s', 'x'.repeat(60)]);
  expect([fits.length, long.length]).toEqual([64, 64]);
  expect(long).toMatch(/^mcp_s_x{49}_[0-9a-f]{8}$/);
  expect(other).not.toBe(long);
});

it('tells tools of the same name apart, whatever their order', () => {
  const [first, second] = names(['a', 'b_c'], ['a_b', 'c']);
  expect(first).toMatch(/^mcp_a_b_c_[0-9a-f]{8}$/);
  expect(second).toMatch(/^mcp_a_b_c_[0-9a-f]{8}$/);
  expect(names(['a_b', 'c'], ['a', 'b_c'])).toEqual([second, first]);
});

it('every name of a tool begins with the prefix of its server, however long that is', () => {
  for (const server of ['a', 'my-web.tools', 'x'.repeat(63)])
    for (const tool of ['t', 'y'.repeat(70)])
      expect(names([server, tool])[0]?.startsWith(serverPrefix(server))).toBe(true);
});

it('one tool alone can have its plain name or the one with a hash, whichever it gets among others', () => {
  const pair = [
    { server: 'a', tool: 'b_c' },
    { server: 'a', tool: 'B c' },
  ] as const;
  const shared = modelNames(pair);
  expect(pair.map((tool, index) => possibleNames(tool)[1] === shared[index])).toEqual([true, true]);
  expect(possibleNames(pair[0])[0]).toBe('mcp_a_b_c');
  const long = { server: 's', tool: 'x'.repeat(59) };
  expect(possibleNames(long)).toEqual(modelNames([long]));
});
