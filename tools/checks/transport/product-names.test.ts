import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadSources } from '../source-files.ts';
import { findProductNames } from './product-names.ts';

const path = 'packages/server/src/transport/rest/part.ts';
const judge = (text: string, at = path): readonly string[] => findProductNames([{ path: at, text: `${text}\n` }]);

describe('transport', () => {
  it('knows no operation, message or field of the product', () => {
    const sources = loadSources(fileURLToPath(new URL('../../..', import.meta.url)));
    expect(sources.some((file) => file.path.startsWith('packages/server/src/transport/'))).toBe(true);
    expect(findProductNames(sources)).toEqual([]);
  });
});

describe('the check of names in transport', () => {
  it.each([
    ["import { AgentSchema } from '@svc/api/resources';", '@svc/api/resources'],
    ["import type { Agent } from '@svc/api/resources';", '@svc/api/resources'],
    ["const isRepeatable = name === 'SendMessage';", 'SendMessage'],
    ["const takesYaml = operation.endsWith('/ApplyManifests');", 'ApplyManifests'],
    ['const { sendMessage } = service.method;', 'sendMessage'],
    ["const names = 'svc.resources.Agent';", 'svc.resources.Agent'],
    ["const cursors = ['after', 'resource_version'];", 'resource_version'],
    ['const seconds = request.waitSeconds;', 'waitSeconds'],
    ['const size = `${field.page_size}`;', 'page_size'],
    ['const desc = SessionMessageSchema;', 'SessionMessageSchema'],
    ['// Such as GetAgent.', 'GetAgent'],
  ])('refuses %s', (text, name) => {
    expect(judge(text).some((line) => line.includes(name))).toBe(true);
  });

  it.each([
    ["import { Health } from '@svc/api/health';"],
    ["import { type HttpBinding, methods } from '@svc/api/methods';"],
    ['const requestId = call.requestId;'],
    ["const isOperationPath = path.startsWith('/svc.');"],
    ['const session = http2.connect(url);'],
  ])('accepts %s', (text) => {
    expect(judge(text)).toEqual([]);
  });

  it('looks at what is served, not at tests and not at other folders', () => {
    const text = "const name = 'SendMessage';";
    expect(judge(text, 'packages/server/src/transport/part.test.ts')).toEqual([]);
    expect(judge(text, 'packages/server/src/features/conversation/sessions/part.ts')).toEqual([]);
  });
});
