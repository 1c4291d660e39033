import { describe, expect, it } from 'vitest';
import { reviewedText } from './reviewed-text.ts';

const server = { address: { kind: 'McpServer' }, base: 'key: "***"', text: 'key: new' };
const changed = { changed: ['/spec/headers/key'] };

describe('reviewedText', () => {
  it('shows what the server would store', () => {
    expect(reviewedText({ ...server, shown: 'key: stored', rehearsal: changed })).toBe('key: stored');
  });

  it('shows the text when the server hides what changes', () => {
    expect(reviewedText({ ...server, shown: 'key: "***"', rehearsal: changed })).toBe('key: new');
  });

  it('shows that nothing changes', () => {
    expect(reviewedText({ ...server, shown: 'key: "***"', rehearsal: { changed: [] } })).toBe('key: "***"');
  });

  it('shows the text of a secret, whose values are always hidden', () => {
    const secret = { ...server, address: { kind: 'Secret' }, shown: 'key: ""' };
    expect(reviewedText({ ...secret, rehearsal: changed })).toBe('key: new');
  });
});
