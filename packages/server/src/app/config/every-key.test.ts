import { describe, expect, it } from 'vitest';
import { environmentName, keyRows } from './keys/index.ts';
import { type Located, locate } from './located.ts';
import { matchFileKeys, matchFlags, matchVariables } from './match-keys.ts';
import { readSettings } from './settings-reader.ts';
import { readConfigFile } from './sources/index.ts';
import { NO_TEXT, sampleOf } from './testing/index.ts';

const host = { memoryBytes: 1024 ** 3, openFiles: 4096, isTerminal: false };

interface Written {
  readonly yaml?: string;
  readonly variable?: string;
  readonly flag?: string;
}

/** Reads one key alone, rules about several keys left aside, as the loader does before it applies them. */
const readOne = (key: string, written: Written) => {
  const faults: string[] = [];
  const report = (fault: { label: string; key: string; text: string }): void =>
    void faults.push(`${fault.label}: ${fault.key}: ${fault.text}`);
  const files: Record<string, string> = written.yaml === undefined ? {} : { '/work/svc.yaml': nest(key, written.yaml) };
  const readFile = (path: string): string | undefined => files[path];
  const variable = (): undefined => undefined;
  const file = readConfigFile({ flag: undefined, variable, cwd: '/work', readFile, report });
  const environment = written.variable === undefined ? {} : { [environmentName(key)]: written.variable };
  const flags = written.flag === undefined ? {} : { [key]: written.flag };
  const sources: readonly ReadonlyMap<string, Located>[] = [
    matchFlags(flags, { cwd: '/work', report }),
    matchVariables(environment, { cwd: '/work', report }),
    file === undefined ? new Map() : matchFileKeys(file.values, report),
  ];
  const read = readSettings(sources, { cwd: '/work', host, variable, readFile, report });
  const settings: Readonly<Record<string, unknown>> = read.settings;
  return { value: settings[key], source: read.origins.get(key)?.source ?? 'default', faults };
};

/** `a.b.c` and a flow value as YAML: the value stands in the last line. */
const nest = (key: string, value: string): string => {
  const words = key.split('.');
  return words
    .map((word, depth) => `${'  '.repeat(depth)}${word}:${depth === words.length - 1 ? ` ${value}` : ''}`)
    .join('\n');
};

/** The sample parsed by the kind alone: what each source has to arrive at. */
const parsed = (key: string, text: string): unknown => {
  const row = keyRows.get(key)!;
  const located = row.kind.fromText(text, { source: 'flag', label: '', directory: '/work' });
  const context = { key, report: () => undefined, variable: () => undefined, readFile: () => undefined };
  return row.kind.parse(located, context);
};

/** Providers gain the built-in one; everything else is what was written. */
const effective = (key: string, value: unknown): unknown =>
  key === 'models.providers' ? { demo: { type: 'demo' }, ...(value as object) } : value;

describe.each([...keyRows])('setting %s', (key, row) => {
  const sample = sampleOf(key, row);
  const words = key.split('.');

  it('has a default that its own kind takes, a variable name and a sentence', () => {
    const { value, source, faults } = readOne(key, {});
    expect({ source, faults }).toEqual({ source: 'default', faults: [] });
    if (row.fallback === undefined) expect(row.derived !== undefined || value === undefined).toBe(true);
    else {
      const shown = locate(row.kind.show(row.fallback, key), { source: 'default', label: '', directory: '/work' });
      const report = (fault: { text: string }): void => expect.fail(fault.text);
      row.kind.parse(shown, { key, report, variable: () => undefined, readFile: () => undefined });
    }
    expect(environmentName(key)).toMatch(/^SVC_[A-Z0-9_]+$/);
    expect(row.doc).toMatch(/^[A-Z`].*\.$/);
  });

  it('is read from the file, which a variable overrides, which a flag overrides', () => {
    const file = readOne(key, { yaml: sample.file });
    expect(file).toEqual({ value: effective(key, parsed(key, sample.file)), source: 'file', faults: [] });
    const variable = readOne(key, { yaml: sample.file, variable: sample.environment });
    expect(variable).toEqual({
      value: effective(key, parsed(key, sample.environment)),
      source: 'environment',
      faults: [],
    });
    const flag = readOne(key, { yaml: sample.file, variable: sample.environment, flag: sample.flag });
    expect(flag).toEqual({ value: effective(key, parsed(key, sample.flag)), source: 'flag', faults: [] });
    expect(parsed(key, sample.flag)).toBeDefined();
  });

  it('names line and key of a wrong value', () => {
    const { faults } = readOne(key, { yaml: sample.wrong });
    expect(faults[0]).toMatch(new RegExp(`^svc\\.yaml:${words.length}:\\d+: ${key.replaceAll('.', '\\.')}`));
    const [variableFault] = readOne(key, { variable: sample.wrong === NO_TEXT ? ' ' : sample.wrong }).faults;
    expect(variableFault).toContain(`${environmentName(key)}: ${key}`);
  });
});
