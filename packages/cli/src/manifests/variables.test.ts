import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { exitCodes } from '../failure.ts';
import { fakeHost } from '../testing/fake-host.ts';

const file = (text: string) => ({ text, mode: 0o600 });

describe('variables', () => {
  it.each([
    ['1.50', 'v1.50'],
    ['007', 'v007'],
    ['0x1F', 'v0x1F'],
    ['12345678901234567890', 'v12345678901234567890'],
    ['True', 'vTrue'],
    ['~', 'v~'],
    ['"quoted"', 'vquoted'],
    ['red # not a comment', 'vred # not a comment'],
    ['!loud', 'v!loud'],
    ['&a x', 'v&a x'],
    [' spaced ', 'v spaced '],
    ['[1.50, a]', 'v[1.5,"a"]'],
  ])('--var v=%s reads inside of a text as it was written', async (text, value) => {
    const shell = fakeHost({
      files: { '/work/w.yaml': file('kind: Channel\nmetadata: {name: x}\nspec: {title: "v{{ vars.v }}"}\n') },
    });
    expect(await shell.run('render', '-f', 'w.yaml', '--var', `v=${text}`)).toBe(exitCodes.ok);
    expect(parse(shell.out())).toMatchObject({ spec: { title: value } });
  });

  it('values of files read inside of texts as they were written, and keep their type where they are all of it', async () => {
    const vars =
      'version: 1.50\nsame: &same 2.0\ndeep: {again: *same, none: }\nlist: [1.0, x]\nbig: 12345678901234567890\n';
    const text =
      'v{{ vars.version }} {{ vars.deep.again | upper }}{{ vars.deep.none }} {{ vars.big }} {{ vars.version | json }}';
    const manifest =
      `apiVersion: a.b/v1\nkind: Thing\nmetadata: {name: x}\nspec: {a: "${text}", b: "{{ vars.version }}", ` +
      'c: "{{ vars.list }}", d: "{{ vars.big }}", e: "{{ vars.deep }}", f: "{{ vars.no | default: vars.version }}!"}\n';
    const files = { '/work/w.yaml': file(manifest), '/work/vars.yaml': file(vars) };
    const shell = fakeHost({ files });
    expect(await shell.run('render', '-f', 'w.yaml', '--vars-file', 'vars.yaml')).toBe(exitCodes.ok);
    const big = '12345678901234567890';
    expect(parse(shell.out())).toMatchObject({
      spec: { a: `v1.50 2.0 ${big} 1.5`, b: 1.5, c: [1, 'x'], d: big, e: { again: 2, none: null }, f: '1.50!' },
    });
  });

  it.each([
    ['a: &a [*a]', 'vars.yaml is nested deeper than 100'],
    ['a: 1\na: 2', 'vars.yaml is not YAML: Map keys must be unique'],
    ['just text', 'vars.yaml holds no map of variables'],
  ])('a file that says %j is refused', async (text, words) => {
    const shell = fakeHost({ files: { '/work/w.yaml': file('kind: Channel'), '/work/vars.yaml': file(text) } });
    expect(await shell.run('render', '-f', 'w.yaml', '--vars-file', 'vars.yaml')).toBe(exitCodes.refused);
    expect(shell.err()).toContain(words);
  });
});
