import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { TryToolResponseSchema } from '@svc/api/gateway';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { TryAnswer } from './try-answer.tsx';

const view = (answer: MessageInitShape<typeof TryToolResponseSchema>): string =>
  renderToStaticMarkup(<TryAnswer answer={create(TryToolResponseSchema, answer)} />);

it('shows what the model would read, data that the text does not say, and files', () => {
  const shown = view({
    ok: true,
    tookMs: 7n,
    structuredJson: '{"sum":42}',
    truncated: true,
    content: [
      { text: '<b>42</b>' },
      { mediaType: 'text/plain', filename: 'a.txt', data: new Uint8Array([1]), sizeBytes: 1n },
      { mediaType: 'video/mp4', filename: 'b.mp4', sizeBytes: 9_000_000n },
    ],
  });
  expect(shown).toContain('Done</span> It took 7 ms.');
  expect(shown).toContain('&lt;b&gt;42&lt;/b&gt;');
  expect(shown).toMatch(/As data.*&quot;sum&quot;: 42/s);
  expect(shown).toMatch(/a\.txt.*Download/);
  expect(shown).toContain('video/mp4, 9000000 bytes, too large to be shown');
  expect(shown).toContain('The result is larger than what is shown.');
});

it('does not show data twice', () => {
  const shown = view({ ok: true, structuredJson: '{"a": 1}', content: [{ text: '{"a":1}' }] });
  expect(shown).not.toContain('As data');
});

it('shows why a call failed, and where to sign in, but no address that is not of the web', () => {
  const shown = view({ failureCode: 'sign_in_needed', error: 'Sign in.', signInUrl: 'https://auth.example/a' });
  expect(shown).toContain('sign_in_needed</span>');
  expect(shown).toContain('href="https://auth.example/a"');
  expect(view({ failureCode: 'sign_in_needed', error: 'x', signInUrl: 'javascript:alert(1)' })).not.toContain('href');
  expect(view({ content: [{ text: 'no such order' }] })).toMatch(/The tool reports a failure.*no such order/);
});
