import { create } from '@bufbuild/protobuf';
import { TemplateSpecSchema } from '@svc/api/resources';
import { expect, it } from 'vitest';
import { objectKey, renderTemplate } from './index.ts';

const target = { name: 'acme:a', parent: 'acme', labels: {}, annotations: {}, isDeleted: false };
const deployment = { name: 'd', namespace: 'acme', labels: {}, annotations: {} };
const render = (kind: string, specJson: string, isReadable = true) =>
  renderTemplate(
    { contractOf: () => undefined, limits: { objectBytes: 1024 * 1024 } },
    {
      name: 't',
      labels: {},
      annotations: {},
      isReadable,
      isSeen: true,
      spec: create(TemplateSpecSchema, { kind, specJson }),
    },
    { deployment, target },
  );

it.each([
  ['of a kind that this release lacks', 'Widget', true, 'Widget/t', 'there is no kind Widget'],
  ['whose values cannot be decrypted', 'Secret', false, 'Secret/t', 'a value of the template cannot be decrypted'],
])('a template %s is refused as a whole', (...[, kind, isReadable, id, message]) => {
  const problem = { template: 't', id, pointer: '/spec', reason: 'Invalid:spec', message };
  expect(render(kind, '{}', isReadable)).toEqual({ id, problems: [problem] });
});

it('a template without a spec renders an empty object', () => {
  expect(render('Agent', '')).toMatchObject({ object: { id: 'Agent/t', form: { spec: {} } } });
});

it('an id means a key again, unless its kind is unknown', () => {
  expect(objectKey('ChannelSubscription/room/sub', 'acme')?.key).toEqual({
    kind: 'ChannelSubscription',
    namespace: 'acme',
    parent: 'room',
    name: 'sub',
  });
  expect(objectKey('Knowledge/a/b', 'acme')?.key.name).toBe('a/b');
  expect(objectKey('ChannelSubscription', 'acme')?.key.parent).toBe('');
  expect(objectKey('Widget/x', 'acme')).toBeUndefined();
});
