import type { JsonObject } from '@bufbuild/protobuf';
import { methods } from '@svc/api/methods';
import { ResourceMetaSchema } from '@svc/api/resources';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../base/index.ts';
import { kinds } from '../../resources/index.ts';
import { isSampled, sampled } from '../../store/testing/sampled.ts';
import { bindRest } from '../../transport/testing/all-transports.ts';
import { type Answer, AppUnderTest, reasonOf } from '../testing/index.ts';
import { RawCalls } from './raw-calls.ts';
import {
  brokenDocument,
  byField,
  INNOCENT,
  linesOf,
  pick,
  type RefusedText,
  ruleTexts,
  wholeDocuments,
} from './refused-texts.ts';
import { brokenBytes, brokenTexts, wrongValues } from './wrong-values.ts';

const SEED = 20_261_121;
const AT_ONCE = 16;
/** On PostgreSQL every tenth case is sent: what is refused does not depend on the engine, that nothing of it is stored does. */
const SAMPLE = 10;
/** Thousands of calls: a loaded machine takes its time. */
const LONG_MS = 240_000;

/** A call that must be refused. */
interface Case {
  readonly about: string;
  readonly send: () => Promise<readonly string[]>;
}

interface FieldError {
  readonly field: string;
  readonly description: string;
  readonly reason: string;
  readonly line: number;
  readonly column: number;
}

const authorable = kinds.filter((row) => row.authorable);
/** A message and its parts may be written as text. */
const AS_TEXT = /^\{"message":("x"|\{"parts":"x"\})\}$/;
/** What connector services call needs a secret before anything is read; connector-events.test.ts sends it malformed input. */
const offered = methods.filter(({ service }) => service !== 'svc.external.ConnectorService');
const SERVER_OWNED = new Set(['uid', 'generation', 'deletionTimestamp']);

/** What a refused ApplyManifests must say; each sentence is a broken promise. */
const judgeText = (answer: Answer, { text, path, reason }: RefusedText): readonly string[] => {
  const problems: string[] = [];
  if (answer.status !== 400 && answer.status !== 404)
    return [`answered ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`];
  const { details } = (answer.body as { error: { details: readonly Record<string, unknown>[] } }).error;
  const results = details.flatMap((detail) => (detail['results'] ?? []) as { fieldErrors: readonly FieldError[] }[]);
  const errors = results.flatMap((result) => result.fieldErrors);
  if (errors.length === 0) problems.push('names no fault');
  for (const error of errors) {
    if (error.line < 1 || error.column < 1) problems.push(`${error.field}: no position`);
    if (error.reason === '' || error.description === '') problems.push(`${error.field}: says nothing`);
  }
  if (path === undefined || path === '') return problems;
  const named = errors.filter(({ field }) => field.replaceAll('"', '') === path || field.startsWith(`${path}[`));
  const [first] = named;
  if (first === undefined) problems.push(`${path} is not named, but ${errors.map(({ field }) => field).join(', ')}`);
  else if (reason !== undefined && !named.some((error) => error.reason === reason))
    problems.push(`${path}: ${first.reason}, not ${reason}`);
  else {
    const lines = linesOf(text, path);
    if (lines.length > 0 && !named.some(({ line }) => lines.includes(line)))
      problems.push(`${path}: line ${first.line}, not ${lines.join(' or ')}`);
  }
  return problems;
};

/** Malformed input through every API: refused with field and place, nothing of it stored, never a fault of the server. */
export const describeRefusals = (): void => {
  describe('malformed input', () => {
    const app = AppUnderTest.ofSuite();
    const random = seededRandom(SEED);
    let raw: RawCalls;
    let before: string;
    let sent = 0;

    /** Every resource with its version. */
    const everything = async (): Promise<string> => {
      const page = await app.rest.ok<{ resources: readonly { kind: string; metadata: JsonObject }[] }>(
        'GET /v1/ns/-/resources?limit=200',
      );
      return page.resources
        .filter(({ kind }) => kind !== 'Worker')
        .map(({ kind, metadata }) => [kind, metadata['name'], metadata['uid'], metadata['generation']].join(' '))
        .join('\n');
    };

    beforeAll(async () => {
      raw = new RawCalls(app.url);
      await app.rest.ok('POST /v1/ns/default/agents', { name: 'helper' });
      await app.rest.ok('POST /v1/ns/default/channels', { channel: { metadata: { name: 'room' } } });
      before = await everything();
    });
    afterAll(() => raw[Symbol.dispose]());

    const apply = async (refused: RefusedText): Promise<readonly string[]> => {
      const body = { ns: 'default', text: `${refused.text}\n---\n${INNOCENT}` };
      return judgeText(await app.rest.call('POST /v1/manifests:apply', body), refused);
    };

    const judged = async (all: readonly Case[]): Promise<void> => {
      const cases = sampled(all, Math.ceil(all.length / SAMPLE));
      const problems: string[] = [];
      let next = 0;
      const work = async (): Promise<void> => {
        for (let at = next++; at < cases.length; at = next++) {
          const { about, send } = cases[at] as Case;
          problems.push(...(await send()).map((problem) => `${about}: ${problem}`));
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      sent += cases.length;
      expect(problems.slice(0, 20)).toEqual([]);
      expect(await everything()).toBe(before);
    };

    const textCase = (about: string, refused: RefusedText): Case => ({
      about: `${about} ${refused.text.slice(0, 400)}`,
      send: () => apply(refused),
    });

    it.each(authorable.map((row) => [row.kind, row] as const))(
      'in manifests of %s is refused with its place',
      async (kind, row) => {
        const fields = wrongValues(row.spec, 'spec');
        const meta = wrongValues(ResourceMetaSchema, 'metadata').filter(
          ({ path }) => !SERVER_OWNED.has(path.split('.')[1] ?? ''),
        );
        const cases = [
          ...Array.from({ length: 170 }, () => textCase('field', byField(random, pick(random, fields), kind))),
          ...Array.from({ length: 20 }, () => textCase('metadata', byField(random, pick(random, meta), kind))),
          ...Array.from({ length: 30 }, () => textCase('syntax', brokenDocument(random, kind))),
          ...wholeDocuments(kind).map((refused) => textCase('document', refused)),
        ];
        await judged(cases);
      },
    );

    it(
      'by the rules of its kind is refused with its place',
      async () => {
        const cases = ruleTexts().map((refused) => textCase('rule', refused));
        await judged(cases);
      },
      LONG_MS,
    );

    it(
      'in bodies of every operation is refused with its field by REST',
      async () => {
        const bind = bindRest(methods);
        const withBody = offered.filter(({ http }) => http.body === '*');
        const cases = Array.from({ length: 1_500 }, (): Case => {
          const method = pick(random, withBody);
          const wrong = pick(
            random,
            wrongValues(method.input).filter(({ json }) => !AS_TEXT.test(JSON.stringify(json))),
          );
          const names = [...method.http.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
            name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
          );
          const inPath = Object.fromEntries(names.map((name) => [name, name === 'ns' ? 'default' : 'missing']));
          const { verb, path } = bind(method.name, inPath);
          return {
            about: `${method.name} ${JSON.stringify(wrong.json)}`,
            send: async () => {
              const answer = await app.rest.call(`${verb} ${path}`, wrong.json);
              return judgeBody(answer);
            },
          };
        });
        await judged(cases);
      },
      LONG_MS,
    );

    it(
      'in the query of every operation is refused with its parameter',
      async () => {
        const bind = bindRest(methods);
        const reads = methods.filter(({ http }) => http.body === '');
        const cases = reads.flatMap((method): readonly Case[] => {
          const names = [...method.http.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
          const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
          const inPath = Object.fromEntries(names.map((name) => [camel(name), name === 'ns' ? 'default' : 'missing']));
          const { verb, path } = bind(method.name, inPath);
          const numbers = method.input.fields.filter(
            (field) => field.fieldKind === 'enum' || (field.fieldKind === 'scalar' && field.scalar !== 9),
          );
          const queries = ['nonsense=1', '%ZZ=1', ...numbers.map((field) => `${field.jsonName}=nonsense`)];
          return queries.map((query) => ({
            about: `${method.name} ${query}`,
            send: async () => judgeBody(await app.rest.call(`${verb} ${path}?${query}`)),
          }));
        });
        await judged(cases);
      },
      LONG_MS,
    );

    it(
      'that is no JSON or no protobuf is refused over every transport',
      async () => {
        const unaries = offered.filter(({ kind }) => kind === 'unary');
        const texts = brokenTexts(random, 200);
        const cases = Array.from({ length: 3_600 }, (_, index): Case => {
          const method = pick(random, unaries);
          const protocol = (['connect', 'grpc', 'grpc-web'] as const)[index % 3] ?? 'connect';
          const isJson = index % 2 === 0;
          const text = pick(random, texts);
          const bytes = isJson ? Buffer.from(text) : pick(random, brokenBytes);
          return {
            about: `${method.name} by ${protocol} ${isJson ? text : Buffer.from(bytes).toString('hex')}`,
            send: async () => {
              const { code, text: said } = await raw.send(protocol, method, {
                encoding: isJson ? 'json' : 'proto',
                bytes,
              });
              if (code !== 'INVALID_ARGUMENT') return [`answered ${code} ${said.slice(0, 200)}`];
              return isJson ? judgePlace(text, said) : [];
            },
          };
        });
        await judged(cases);
        const rest: readonly Case[] = texts.map((text) => ({
          about: `REST ${text}`,
          send: async () => {
            const answer = await app.rest.call('POST /v1/ns/default/agents', text);
            return answer.status === 400 && reasonOf(answer) === 'JSON_INVALID'
              ? judgePlace(text, JSON.stringify(answer.body))
              : [`answered ${answer.status} ${reasonOf(answer)}`];
          },
        }));
        await judged(rest);
      },
      LONG_MS,
    );

    it('came by the thousand, and left nothing behind', async () => {
      expect(sent).toBeGreaterThanOrEqual(isSampled() ? 1_000 : 10_000);
      expect(await everything()).toBe(before);
    });
  });
};

/** Broken JSON is refused with its place; what nests too deep, or is JSON but no object, has none. */
const judgePlace = (text: string, said: string): readonly string[] => {
  if (text.includes('[') || isJsonText(text)) return [];
  return /not valid JSON at line \d+, column \d+/.test(said) ? [] : [`no place: ${said.slice(0, 300)}`];
};

const isJsonText = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const judgeBody = (answer: Answer): readonly string[] => {
  if (answer.status !== 400) return [`answered ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`];
  const { details } = (answer.body as { error: { details: readonly Record<string, unknown>[] } }).error;
  const violations = details.flatMap((detail) => (detail['fieldViolations'] ?? []) as FieldError[]);
  if (violations.length === 0) return ['names no field'];
  return violations
    .filter(({ field, reason, description }) => field === '' || reason === '' || description === '')
    .map((violation) => `incomplete: ${JSON.stringify(violation)}`);
};
