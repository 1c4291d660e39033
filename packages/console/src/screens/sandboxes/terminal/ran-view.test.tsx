import { create } from '@bufbuild/protobuf';
import { ExecSandboxResponseSchema } from '@svc/api/gateway';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { RanView } from './ran-view.tsx';

const view = (ended?: Parameters<typeof create<typeof ExecSandboxResponseSchema>>[1]): string =>
  renderToStaticMarkup(
    <RanView ran={{ id: 1, line: 'ls', ...(ended && { ended: create(ExecSandboxResponseSchema, ended) }) }} />,
  ).replaceAll(/ class="[^"]*"/g, '');

it('shows what a command wrote as text, and how it failed', () => {
  expect(view({ stdout: '<b>x</b>', stderr: 'no', exitCode: 2, endedBy: 'exit' })).toBe(
    '<div><code>$ ls</code><pre>&lt;b&gt;x&lt;/b&gt;</pre><pre>no</pre><small>exit code 2</small></div>',
  );
});

it('says nothing more of one that succeeded without a word', () => {
  expect(view({ endedBy: 'exit' })).toBe('<div><code>$ ls</code></div>');
});

it('says that a command runs, took too long, or wrote more than is shown', () => {
  expect(view()).toBe('<div><code>$ ls</code><span role="status">Running</span></div>');
  expect(view({ stdout: 'y', outputCut: true, exitCode: 137, endedBy: 'timeout' })).toBe(
    '<div><code>$ ls</code><pre>y</pre><small>More was written; the rest was dropped.</small><small>ended: it took too long</small></div>',
  );
});
