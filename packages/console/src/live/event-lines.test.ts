import { describe, expect, it } from 'vitest';
import { EventLines } from './event-lines.ts';

describe('EventLines', () => {
  it('cuts events out of pieces that end anywhere', () => {
    const lines = new EventLines();
    const text = 'event: turn\nid: c1\ndata: {"a":1}\n\nid: c2\ndata: x\ndata: y\n\n';
    const found = [...text].flatMap((character) => lines.push(character));
    expect(found).toEqual([
      { event: 'turn', id: 'c1', data: '{"a":1}' },
      { event: 'message', id: 'c2', data: 'x\ny' },
    ]);
  });

  it('leaves out comments, and takes lines that end as on Windows', () => {
    const lines = new EventLines();
    expect(lines.push(': keep-alive\n\n')).toEqual([]);
    expect(lines.push('event: ready\r\nid: c\r\ndata: {}\r\n\r\n')).toEqual([{ event: 'ready', id: 'c', data: '{}' }]);
  });

  it('takes a value with the line separators that JSON leaves as they are', () => {
    const lines = new EventLines();
    expect(lines.push('data: {"t":"a\u2028b"}\n\n')).toEqual([{ event: 'message', id: '', data: '{"t":"a\u2028b"}' }]);
  });

  it('takes a value with a colon, and a field without a value', () => {
    const lines = new EventLines();
    expect(lines.push('event: delivery\ndata: {"t":"10:30"}\nretry\n\n')).toEqual([
      { event: 'delivery', id: '', data: '{"t":"10:30"}' },
    ]);
  });
});
