import { describe, expect, it } from 'vitest';
import type { RemoteState, RemoteTask } from '../../../protocols/a2a/client-contract.ts';
import type { PeerPart } from '../../../protocols/a2a/contract.ts';
import type { ObjectData } from '../../../runtime/contract.ts';
import { filesForm, messageForm, nextDelayMs, REPLY_CHARS, remoteReply, workState } from './remote-rules.ts';

const text = (value: string): PeerPart => ({ kind: 'text', text: value });
const bytes = (value: string, mediaType: string, filename = ''): PeerPart => ({
  kind: 'bytes',
  bytes: new TextEncoder().encode(value),
  mediaType,
  filename,
});
const task = (state: RemoteState, parts: readonly PeerPart[], statusParts: readonly PeerPart[] = []): RemoteTask => ({
  id: 't',
  contextId: 'c',
  state,
  parts,
  statusParts,
});

describe('files for an agent elsewhere', () => {
  const file = (sizeBytes: number, mediaType = 'image/png'): ObjectData => ({
    key: 'k',
    sha256: 'k',
    sizeBytes,
    mediaType,
    filename: 'f',
  });
  const form = (objects: readonly ObjectData[], more: Partial<Parameters<typeof filesForm>[1]> = {}) =>
    filesForm(objects, { declared: [], ofCard: ['image/*'], hasLinks: true, ...more });

  it('are sent within the message up to 1 MiB each and 4 MiB together, else as links', () => {
    const mebibyte = 1_048_576;
    const sizes = [mebibyte, mebibyte + 1, mebibyte, mebibyte, mebibyte, 1];
    const sent = form(sizes.map((size) => file(size)));
    expect('files' in sent && sent.files.map(({ as }) => as)).toEqual([
      'bytes',
      'link',
      'bytes',
      'bytes',
      'bytes',
      'link',
    ]);
    expect(form([file(mebibyte + 1)], { hasLinks: false })).toMatchObject({
      problem: expect.stringContaining('server.publicUrl'),
    });
  });

  it('must be of a type that the card takes, and the connection where it names some', () => {
    expect(form([file(1, 'text/csv')])).toEqual({ problem: 'f is text/csv, the agent takes image/*' });
    expect(form([file(1)], { ofCard: [] })).toEqual({
      problem: 'f is image/png, the agent takes text/plain, application/json',
    });
    expect(form([file(1)], { declared: ['text/plain'] })).toEqual({
      problem: 'f is image/png, the connection gives text/plain',
    });
    expect(form([file(1)], { declared: ['image/png'] })).toMatchObject({ files: [{ as: 'bytes' }] });
  });
});

describe('a message to an agent elsewhere', () => {
  it.each<[string, string, readonly string[], readonly string[], string]>([
    ['text where nothing is said', 'hi', [], [], 'text'],
    ['text where both take it', 'hi', ['text/*'], ['Text/Plain; charset=utf-8', 'image/png'], 'text'],
    ['text where the card takes anything', 'hi', ['text/plain'], ['*/*'], 'text'],
    ['JSON where the card takes nothing else', '{"n":1}', [], ['application/json'], 'data'],
    ['JSON where the connection gives nothing else', '7', ['application/json'], [], 'data'],
    ['nothing where it is no JSON', 'hi', [], ['application/json'], 'must be JSON'],
    ['nothing where the modes do not meet', 'hi', ['image/png'], [], 'the agent takes text/plain, application/json'],
    ['nothing where a mode is no media type', 'hi', [''], [], 'the connection gives '],
  ])('is %s', (...[, message, declared, ofCard, expected]) => {
    const form = messageForm(message, declared, ofCard);
    expect('parts' in form ? form.parts[0]?.kind : form.problem).toContain(expected);
  });
});

describe('the reply of an agent elsewhere', () => {
  it('is its text, its data and the addresses of its files', () => {
    const parts = [
      text('one'),
      { kind: 'data', value: { n: 2 } },
      { kind: 'url', url: 'https://far/file', mediaType: 'image/png', filename: '' },
      { kind: 'url', url: 'https://far/other', mediaType: '', filename: '' },
      bytes('three', 'text/plain'),
    ] as const;
    expect(remoteReply(task('completed', parts), [])).toEqual({
      text: 'one\n{"n":2}\nFile: https://far/file (image/png)\nFile: https://far/other\nthree',
      files: [],
    });
  });

  it('is kept as files where the connection does not take it, twenty of them', () => {
    const parts = [
      text('one'),
      { kind: 'data', value: undefined },
      bytes('{}', 'application/json', 'facts.json'),
      bytes('png', 'image/png\r\nx: y', 'box.png'),
    ] as const;
    const { text: said, files } = remoteReply(task('completed', parts), ['image/png']);
    expect(said).toBe('');
    expect(files.map(({ mediaType, filename }) => `${filename} ${mediaType}`)).toEqual([
      'reply.txt text/plain',
      'reply.json application/json',
      'facts.json application/json',
      'box.png application/octet-stream',
    ]);
    const many = Array.from({ length: 25 }, () => bytes('png', 'image/png'));
    expect(remoteReply(task('completed', many), []).files).toHaveLength(20);
  });

  it('is what its status says where it has nothing else, or where it failed or asks', () => {
    expect(remoteReply(task('completed', [], [text('done')]), []).text).toBe('done');
    expect(remoteReply(task('completed', []), []).text).toBe('');
    expect(remoteReply(task('failed', [text('half')], [text('no boxes')]), []).text).toBe('no boxes');
    expect(remoteReply(task('canceled', []), []).text).toBe('it was cancelled by its own server');
    expect(remoteReply(task('input-required', [], [text('Which?')]), []).text).toBe('Which?');
    expect(remoteReply(task('auth-required', [], [text('https://far')]), []).text).toBe(
      'It waits for someone to sign in: https://far',
    );
  });

  it('is cut where it is too long, and holds whole characters', () => {
    const long = remoteReply(task('completed', [text(`${'x'.repeat(REPLY_CHARS - 1)}\u{1f600}`)]), []).text;
    expect(long).toContain('[the rest of 200001 characters was left out]');
    expect(long.isWellFormed()).toBe(true);
  });
});

it('the work of an agent elsewhere is open until its task is settled', () => {
  const states: readonly RemoteState[] = [
    'working',
    'completed',
    'failed',
    'canceled',
    'input-required',
    'auth-required',
  ];
  expect(states.map(workState)).toEqual(['open', 'completed', 'failed', 'stopped', 'asks', 'asks']);
});

it('a task is asked for after a second, then after ever longer pauses, at most half a minute', () => {
  expect([0, 1_000, 4_000, 20_000].map(nextDelayMs)).toEqual([1_000, 2_000, 8_000, 30_000]);
});
