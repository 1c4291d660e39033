import type { ListFilesRequest } from '@svc/api/gateway';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import type { FakeHandlers } from '../testing/fake-fetch.ts';
import { fakeHost } from '../testing/fake-host.ts';

const TOTAL = 1_450;
const PAGE = 200;

/** A page of what there is, by a token that is the number of the first. */
const page = ({ pageToken, pageSize }: Pick<ListFilesRequest, 'pageToken' | 'pageSize'>) => {
  const first = Number(pageToken || 0);
  const end = Math.min(TOTAL, first + (pageSize || PAGE));
  const numbers = Array.from({ length: end - first }, (_, index) => first + index);
  return { numbers, nextPageToken: end < TOTAL ? String(end) : '' };
};
const name = (number: number): string => `x${String(number).padStart(4, '0')}`;
const files = (request: Pick<ListFilesRequest, 'pageToken' | 'pageSize'>) => {
  const { numbers, nextPageToken } = page(request);
  return { files: numbers.map((n) => ({ metadata: { name: name(n) }, spec: { path: `/${name(n)}` } })), nextPageToken };
};
const handlers: FakeHandlers = {
  unary: {
    ListFiles: files,
    ListMemory: files,
    ListResources: (request: ListFilesRequest) => {
      const { numbers, nextPageToken } = page(request);
      return { resources: numbers.map((n) => ({ kind: 'Secret', metadata: { name: name(n) } })), nextPageToken };
    },
    ListArtifacts: (request: ListFilesRequest) => {
      const { numbers, nextPageToken } = page(request);
      return { artifacts: numbers.map((n) => ({ id: name(n) })), nextPageToken };
    },
    GetSession: () => ({ sessionId: 's' }),
  },
};
const run = async (...words: string[]) => {
  const shell = fakeHost({ handlers });
  return { exit: await shell.run(...words), lines: shell.out().split('\n').length - 2, err: shell.err() };
};

describe.each([['file list'], ['memory list --identity key:1'], ['secret list'], ['artifact list s --agent a']])(
  'svc %s',
  (command) => {
    it('goes to the end, however long it is', async () => {
      expect(await run(...command.split(' '))).toEqual({ exit: exitCodes.ok, lines: TOTAL, err: '' });
    });

    it('stops at --limit and says that there is more, unless there is none', async () => {
      expect(await run(...command.split(' '), '--limit', '250')).toEqual({
        ...{ exit: exitCodes.ok, lines: 250 },
        err: 'there are more than 250: a higher --limit shows them\n',
      });
      expect(await run(...command.split(' '), '--limit', String(TOTAL))).toMatchObject({ lines: TOTAL, err: '' });
    });

    it('prints JSON lines, one an item', async () => {
      const shell = fakeHost({ handlers });
      expect(await shell.run(...command.split(' '), '--limit', '2', '-o', 'jsonl')).toBe(exitCodes.ok);
      const items = shell
        .out()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(items.map(({ id, metadata }) => id ?? metadata.name)).toEqual([name(0), name(1)]);
    });
  },
);
