import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../../models/contract.ts';
import { PART } from '../../../runtime/contract.ts';
import { inputMessages, outputMessages, promptMessage } from './span-contents.ts';

describe('the contents of spans', () => {
  it('say what a model was asked in the forms of the GenAI conventions, without the bytes of media', () => {
    const messages: ModelRequest['messages'] = [
      { role: 'system', content: [{ type: 'text', text: 'be kind', isAdded: true }] },
      {
        role: 'user',
        content: [
          {
            type: 'media',
            media: { kind: 'bytes', mediaType: 'image/png', filename: 'a.png', bytes: new Uint8Array([1]) },
          },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm', continuation: { signature: 'secret' } },
          { type: 'call', callId: 'c1', providerCallId: 'p1', name: 'look', input: { at: 'it' } },
        ],
      },
      {
        role: 'tool',
        content: [{ type: 'result', callId: 'c1', providerCallId: 'p1', name: 'look', text: 'red', isError: false }],
      },
    ];
    expect(JSON.parse(inputMessages({ messages } as ModelRequest))).toEqual([
      { role: 'system', parts: [{ type: 'text', content: 'be kind' }] },
      { role: 'user', parts: [{ type: 'media', mime_type: 'image/png' }] },
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', content: 'hm' },
          { type: 'tool_call', id: 'c1', name: 'look', arguments: { at: 'it' } },
        ],
      },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: 'red' }] },
    ]);
  });

  it('say what a harness was asked', () => {
    expect(promptMessage('fix "it"')).toBe('[{"role":"user","parts":[{"type":"text","content":"fix \\"it\\""}]}]');
  });

  it('say what was answered and how it ended', () => {
    const common = { id: '000000', createdAt: 1 };
    const object = { key: 'k', sha256: 'a'.repeat(64), mediaType: 'image/png', filename: 'a.png', sizeBytes: 1 };
    const parts = [
      { ...common, type: PART.REASONING, content: 'hm' },
      { ...common, type: PART.TEXT, content: 'see' },
      { ...common, type: PART.IMAGE, object },
      { ...common, type: PART.REASONING },
      { ...common, type: PART.TEXT },
      { ...common, type: PART.FILE },
    ];
    expect(JSON.parse(outputMessages(parts, 'stop'))).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', content: 'hm' },
          { type: 'text', content: 'see' },
          { type: 'media', mime_type: 'image/png' },
          { type: 'reasoning', content: '' },
          { type: 'text', content: '' },
          { type: 'media', mime_type: '' },
        ],
        finish_reason: 'stop',
      },
    ]);
  });
});
