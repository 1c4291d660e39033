import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DescMessage } from '@bufbuild/protobuf';
import { fieldsOf, operationText } from '@svc/api/descriptions';
import { methods } from '@svc/api/methods';
import { describe, expect, it } from 'vitest';
import { kinds } from '../resources/index.ts';
import { AppUnderTest, KIND_SAMPLES } from './testing/index.ts';
import { referenceDocs } from './testing/reference/index.ts';

const folder = join(import.meta.dirname, '../../../../docs/reference');
const committed = (path: string): string => readFileSync(join(folder, path), 'utf8');

describe('docs/reference', () => {
  const docs = referenceDocs();

  it('is what the descriptors, their comments and the tables of the server make (npm run generate)', () => {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files).toHaveLength(docs.size);
    for (const [path, text] of docs) expect(committed(path) === text, `${path} is out of date`).toBe(true);
  });

  it('has a page for each kind and a part for each operation, with its role and its path', () => {
    expect(readdirSync(join(folder, 'kinds'))).toHaveLength(kinds.length);
    const operations = committed('operations.md');
    for (const { name, http } of methods) {
      const [, part = ''] = operations.split(`\n### ${name}\n`);
      expect(part).toContain(`| REST | \`${http.verb} ${http.path}\` |`);
      expect(part).toMatch(/^\| Role \| (?:viewer|operator|admin|any credential|callback secret of a connector)/m);
    }
    expect(operations).toMatch(/### DeleteAgentTemplate\n[\s\S]{0,400}\| Role \| admin on namespace system \|/);
  });

  it('names no reason of a failure that the server does not have', () => {
    const sources = globSync('**/*.ts', { cwd: join(import.meta.dirname, '..') })
      .filter((path) => !/\.test\.ts$|(?:^|\/)(?:testing|conformance)\//.test(path))
      .map((path) => readFileSync(join(import.meta.dirname, '..', path), 'utf8'))
      .join('\n');
    const named = [...sources.matchAll(/notFound\('(\w+)'/g)].map(([, name = '']) => name);
    const subjects = [...kinds.map(({ kind }) => kind), ...named].map((name) =>
      name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase(),
    );
    const made = new Set(subjects.flatMap((name) => [`${name}_NOT_FOUND`, `${name}_EXISTS`]));
    const reasons = methods.flatMap(
      ({ descriptor }) => operationText(descriptor).errors.match(/\b[A-Z]+(?:_[A-Z]+)*(?=,| \(|$)/g) ?? [],
    );
    expect(reasons.length).toBeGreaterThan(100);
    expect(reasons.filter((reason) => !made.has(reason) && !sources.includes(`'${reason}'`))).toEqual([]);
  });

  it('leads to pages that exist', () => {
    for (const [path, text] of docs) {
      for (const [, link = ''] of text.matchAll(/\]\(([^)#]+)\)/g)) {
        expect(() => readFileSync(join(folder, dirname(path), link)), `${path}: ${link}`).not.toThrow();
      }
    }
  });
});

interface Applied {
  readonly results: readonly {
    readonly fieldErrors: readonly { readonly field: string }[];
    readonly resource?: { readonly spec: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
  }[];
}

/** Kinds that files alone can be made of: their bytes come another way. */
const written = kinds.filter(({ kind }) => KIND_SAMPLES[kind] !== undefined);

describe('what docs/reference says of fields', () => {
  const app = AppUnderTest.ofSuite();
  const apply = (kind: string, spec: object, isDryRun: boolean): Promise<Applied> => {
    const name = kind === 'File' && !isDryRun ? {} : { name: 'one' };
    const metadata = { ...name, ...(kind === 'Namespace' ? {} : { namespace: 'default' }) };
    const text = JSON.stringify({ kind, metadata, spec });
    return app.rest.ok<Applied>('POST /v1/manifests:apply', { text, dryRun: isDryRun });
  };

  it.each(written.map((row) => [row.kind, row] as const))('defaults of %s are what is stored', async (kind, row) => {
    const given = KIND_SAMPLES[kind] ?? {};
    const { results } = await apply(kind, given, false);
    const stored = results[0]?.resource?.spec[row.member] ?? {};
    for (const { path, value, fallback } of addedFields(row.spec, given, stored)) {
      // Values of a secret are given as text and stored as bytes.
      if (kind === 'Secret' && path === 'data') continue;
      expect(fallback, `${kind} ${path}, stored as ${value}`).toBe(`\`${value}\``);
    }
  });

  it.each(written.map((row) => [row.kind, row] as const))(
    '%s without a required field is refused',
    async (kind, row) => {
      for (const { name } of fieldsOf(row.spec).filter(({ isRequired }) => isRequired)) {
        const { [name]: left, ...rest } = KIND_SAMPLES[kind] ?? {};
        expect(left, `the sample of ${kind} has ${name}`).toBeDefined();
        const { results } = await apply(kind, rest, true);
        expect(results[0]?.fieldErrors.map(({ field }) => field).join(), `${kind} without ${name}`).toContain(name);
      }
    },
  );
});

type Values = Readonly<Record<string, unknown>>;

/** Fields that hold something although nothing was given for them. */
const addedFields = (
  message: DescMessage,
  given: Values,
  stored: Values,
): readonly { readonly path: string; readonly value: string; readonly fallback: string }[] =>
  fieldsOf(message).flatMap(({ name, fallback, message: inner }) => {
    const value = stored[name];
    if (name in given || isEmpty(value)) return [];
    if (inner === undefined || Array.isArray(value)) return [{ path: name, value: String(value), fallback }];
    return addedFields(inner, {}, value as Values).map((field) => ({ ...field, path: `${name}.${field.path}` }));
  });

const isEmpty = (value: unknown): boolean =>
  ['', 0, '0', false, undefined].includes(value as string) ||
  (typeof value === 'string' && value.endsWith('_UNSPECIFIED')) ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
