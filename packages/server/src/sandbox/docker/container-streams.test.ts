import { describe, expect, it } from 'vitest';
import { ContainerStreams } from './container-streams.ts';

const frame = (stream: number, text: string): Buffer => {
  const header = Buffer.from([stream, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
};

describe('the streams of a container', () => {
  it('are the same however the bytes are cut', () => {
    const bytes = Buffer.concat([frame(1, 'out '), frame(2, 'err'), frame(1, ''), frame(1, 'more')]);
    for (let size = 1; size <= bytes.length; size++) {
      const found = { stdout: '', stderr: '' };
      const streams = new ContainerStreams((stream, chunk) => (found[stream] += Buffer.from(chunk).toString()));
      for (let at = 0; at < bytes.length; at += size) streams.add(bytes.subarray(at, at + size));
      expect([found, streams.isWhole]).toEqual([{ stdout: 'out more', stderr: 'err' }, true]);
    }
  });

  it('are not whole in the middle of a header or a frame, and refuse what is none', () => {
    const at = (bytes: Uint8Array): ContainerStreams => {
      const streams = new ContainerStreams(() => undefined);
      streams.add(bytes);
      return streams;
    };
    expect(at(frame(1, 'abc').subarray(0, 5)).isWhole).toBe(false);
    expect(at(frame(1, 'abc').subarray(0, 10)).isWhole).toBe(false);
    for (const wrong of ['HTTP/1.1', '\x04\0\0\0\0\0\0\x01', '\x01\0\x01\0\0\0\0\x01', '\x01\0\0\0\xff\0\0\x01'])
      expect(() => at(Buffer.from(wrong, 'latin1'))).toThrow('else than frames');
  });
});
