import type { MessageInitShape } from '@bufbuild/protobuf';
import { create } from '@bufbuild/protobuf';
import { PermissionDecision, PermissionRequestSchema } from '@svc/api/data';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { RequestView } from './request-view.tsx';

const view = (request: MessageInitShape<typeof PermissionRequestSchema>, canAnswer = true): string =>
  renderToStaticMarkup(
    <RequestView
      request={create(PermissionRequestSchema, request)}
      canAnswer={canAnswer}
      isBusy={false}
      error={null}
      onAnswer={() => undefined}
    />,
  );

const permission = {
  kind: 'permission',
  action: 'create_goal',
  prompt: 'May it?',
  inputJson: '{"objective":"<b>x</b>"}',
  options: [
    { id: 'once', name: 'Allow once', decision: PermissionDecision.ALLOW },
    { id: 'no', name: 'Deny', decision: PermissionDecision.DENY },
  ],
};

it('shows what a tool would do, and the answers that there are', () => {
  const html = view(permission);
  expect(html).toContain('May it?');
  expect(html).toContain('create_goal');
  expect(html).toContain('Allow once');
  expect(html).toContain('Deny');
  expect(html).toContain('&lt;b&gt;x&lt;/b&gt;');
});

it('shows people who may only read no answers', () => {
  const html = view(permission, false);
  expect(html).toContain('May it?');
  expect(html).not.toContain('<button');
});

it('asks for data by the schema', () => {
  const html = view({
    kind: 'input',
    prompt: 'Which city?',
    schemaJson: '{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}',
  });
  expect(html).toMatch(/<label[^>]*>city<\/label>/);
  expect(html).toContain('Decline');
});

it('links to a sign-in, and never to a script', () => {
  expect(view({ kind: 'sign_in', url: 'https://login.example/x' })).toContain('href="https://login.example/x"');
  expect(view({ kind: 'sign_in', url: 'javascript:alert(1)' })).not.toContain('href');
});
