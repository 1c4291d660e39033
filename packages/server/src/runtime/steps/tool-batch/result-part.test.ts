import { describe, expect, it } from 'vitest';
import { errorResult, type ToolResult, textResult } from '../../../tools/contract.ts';
import { type ObjectData, PART } from '../../contract.ts';
import { MAX_OUTPUT_BYTES, toolResultPart } from './index.ts';

/** Shapes one result; `stored` is what the object writer was given. */
const shape = async (result: ToolResult) => {
  const stored: { readonly object: ObjectData; readonly bytes: Uint8Array }[] = [];
  const made = await toolResultPart({
    id: '000004',
    name: 'probe',
    callId: 'call_t_1_0',
    result,
    createdAt: 7,
    write: async (bytes, facts) => {
      const object = { key: `k${stored.length}`, sizeBytes: bytes.length, sha256: 'x', ...facts };
      stored.push({ object, bytes });
      return object;
    },
  });
  return { ...made, stored, text: (index: number) => Buffer.from(stored[index]?.bytes ?? []).toString('utf8') };
};

describe('the stored part of a result', () => {
  it('keeps a small output whole', async () => {
    const { part, objects } = await shape(textResult('42', { value: 42 }));
    expect(part).toEqual({
      id: '000004',
      type: PART.TOOL_RESULT,
      content: '42',
      name: 'probe',
      payload: { tool_call_id: 'call_t_1_0', output: { value: 42 }, is_error: false, truncated: false },
      createdAt: 7,
    });
    expect(objects).toEqual([]);
  });

  it('marks failures and shows structured values when there is no text', async () => {
    const failed = await shape(errorResult('probe', 'failed', 'no'));
    expect(failed.part.payload).toMatchObject({ is_error: true, output: { ok: false, code: 'failed' } });
    const bare = await shape({ content: [], structured: [1, 2], isError: false });
    expect(bare.part).toMatchObject({ content: '[1,2]', payload: { output: [1, 2] } });
    expect((await shape({ content: [], isError: false })).part).toMatchObject({ content: '', payload: { output: '' } });
  });

  it('moves more than 4 KiB to an object and keeps a preview of 2,000 characters (R37, R39)', async () => {
    const edge = await shape(textResult('é'.repeat(2048)));
    expect(edge.part.object).toBeUndefined();
    const text = `${'é'.repeat(2048)}!`;
    const { part, objects, text: textOf } = await shape(textResult(text));
    expect(part.content).toBe('é'.repeat(2000));
    expect(part.payload).toEqual({ tool_call_id: 'call_t_1_0', is_error: false, truncated: true });
    expect(part.object).toEqual(objects[0]);
    expect(textOf(0)).toBe(text);
    expect(part.object?.filename).toBe('probe-call_t_1_0.txt');
  });

  it('keeps a large structured value beside a short text as an object without cutting the text', async () => {
    const rows = Array.from({ length: 2000 }, (_, n) => n);
    const { part, text } = await shape(textResult('2000 rows', rows));
    expect(part.content).toBe('2000 rows');
    expect(part.payload).toEqual({ tool_call_id: 'call_t_1_0', is_error: false, truncated: false });
    expect(JSON.parse(text(0))).toEqual(rows);
  });

  it('cuts an output at 8 MiB between characters and says so', async () => {
    const { part, text } = await shape(textResult(`x${'é'.repeat(MAX_OUTPUT_BYTES / 2)}`));
    expect(part.object?.sizeBytes).toBe(MAX_OUTPUT_BYTES - 1);
    expect(text(0).endsWith('é')).toBe(true);
    expect(part.payload?.['truncated']).toBe(true);
  });

  it('stores files of a result as objects and names them', async () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const { part, objects } = await shape({
      content: [
        { type: 'text', text: 'a chart' },
        { type: 'media', mediaType: 'image/png', filename: 'chart.png', bytes },
      ],
      isError: false,
    });
    expect(part.content).toBe('a chart\n[file chart.png (image/png, 3 bytes)]');
    expect(part.payload?.['output']).toEqual({
      value: part.content,
      media: [{ key: 'k0', media_type: 'image/png', size_bytes: 3, filename: 'chart.png' }],
    });
    expect(objects.map((object) => object.key)).toEqual(['k0']);
  });
});
