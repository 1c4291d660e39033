import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadSources } from '../source-files.ts';
import { declaredFeeds, findStreamViolations } from './stream-rules.ts';

const sources = loadSources(fileURLToPath(new URL('../../..', import.meta.url)));
const judge = (text: string, path = 'features/platform/workers/worker-stream.ts'): readonly string[] =>
  findStreamViolations([{ path: `packages/server/src/${path}`, text }]);

describe('streams of the server', () => {
  it('share one hub, one buffer, one sink and one text of cursors', () => {
    expect(findStreamViolations(sources)).toEqual([]);
  });

  it('are each declared in one file', () => {
    const files = declaredFeeds(sources).map((feed) => feed.split(' ')[0]);
    expect(files.length).toBeGreaterThanOrEqual(4);
    expect(new Set(files).size).toBe(files.length);
  });
});

describe('a second way to stream', () => {
  it.each([
    'class RunHub {',
    'export class EventBuffer {',
    'class RecentRingBuffer {',
    'export interface RunOutlet {',
    'interface EventSink<E> {',
    'export class RunCursors {',
    'const text = sequence.toString(36);',
  ])('is refused: %s', (line) => {
    expect(judge(`${line}\n`)).toHaveLength(1);
  });

  it.each([
    'export class RunHub extends Hub<RunEvent> {',
    "import { Cursors } from '../../../streams/index.ts';\nexport class RunCursors {",
    'class RunSink implements Sink<RunEvent> {',
  ])('is not seen in %s', (text) => {
    expect(judge(`${text}\n`)).toEqual([]);
  });

  it('is nothing that tests or streams/ itself may not have', () => {
    expect(judge('class EventBuffer {', 'streams/reader.ts')).toEqual([]);
    expect(judge('class EventBuffer {', 'runtime/stream/joined-events.test.ts')).toEqual([]);
  });
});
