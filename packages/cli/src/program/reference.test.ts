import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { fakeHost } from '../testing/fake-host.ts';
import { buildProgram } from './program.ts';

/** Commands that do something, by the words that call them. */
const leaves = (command: Command, path: string): readonly (readonly [string, Command])[] =>
  command.commands.length === 0
    ? [[path, command]]
    : command.commands.flatMap((sub) => leaves(sub, `${path} ${sub.name()}`));

const commands = leaves(await buildProgram(fakeHost().host), 'svc');

/** Rows of docs/cli.md: the words of a command, and its flags. */
const rows = readFileSync(new URL('../../../../docs/cli.md', import.meta.url), 'utf8')
  .split('\n')
  .flatMap((line): [string, string][] => {
    const [, words, flags] = /^\| `(svc [^`]*)` \|.*\| ([^|]*) \|$/.exec(line) ?? [];
    return words === undefined ? [] : [[words.replace(/ [<[].*$/, ''), flags ?? '']];
  });
const flagsOf = new Map(rows);

describe('docs/cli.md', () => {
  it('has a row for every command and none for others', () => {
    expect(rows.map(([words]) => words).sort()).toEqual(commands.map(([path]) => path).sort());
  });

  it.each(commands)('names every flag of %s and no other', (path, command) => {
    const flags = command.options.map(({ long, short }) => long ?? short ?? '');
    const named = [...(flagsOf.get(path) ?? '').matchAll(/--[a-z-]+/g)].map(([flag]) => flag);
    expect(named.sort()).toEqual([...flags].sort());
  });
});

describe('the help', () => {
  it.each(commands)('of %s says what it does, with an example and the global flags', (path, command) => {
    const written: string[] = [];
    command.configureOutput({ writeOut: (text) => void written.push(text) });
    command.outputHelp();
    const help = written.join('');
    expect(command.description()).not.toBe('');
    expect(help).toMatch(/Examples?:\n {2}\S/);
    expect(help).toContain(path.split(' ').slice(0, 2).join(' '));
    expect(help).toContain('--server <url>');
  });
});
