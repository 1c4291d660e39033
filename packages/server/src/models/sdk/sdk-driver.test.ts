import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ModelRegistry, ModelRequest } from '../contract.ts';
import {
  anthropicWire,
  collect,
  googleWire,
  modelsConfig,
  responsesWire,
  testRegistry,
  testRequest,
  WireServer,
} from '../testing/index.ts';

let server: WireServer;
let registry: ModelRegistry;

beforeAll(async () => {
  server = await WireServer.start();
  const provider = (type: string, path: string) => ({ type, baseUrl: `${server.origin}${path}`, apiKey: 'k' });
  registry = testRegistry(
    modelsConfig(
      {
        openai: provider('openai', '/v1'),
        anthropic: provider('anthropic', '/v1'),
        google: provider('google', '/v1beta'),
      },
      { tries: 1 },
    ),
  );
});

beforeEach(() => {
  server.requests.length = 0;
});

afterAll(async () => {
  await registry.close();
  await server.close();
});

const ask = (target: string, more: Partial<ModelRequest> = {}) => collect(registry, testRequest(target, 'hello', more));

describe('AI SDK drivers', () => {
  it('deliver images that the model made', async () => {
    const image = { inlineData: { mimeType: 'image/png', data: 'AQID' } };
    const event = { candidates: [{ content: { role: 'model', parts: [image] }, finishReason: 'STOP' }] };
    server.answer = () => ({ chunks: [`data: ${JSON.stringify(event)}\n\n`] });
    const [file] = (await ask('google/gemini-2.5-flash')).all('file');
    expect(file?.media).toMatchObject({
      mediaType: 'image/png',
      filename: 'image.png',
      bytes: new Uint8Array([1, 2, 3]),
    });
  });

  it('pass on a call that the output cap cut in the middle', async () => {
    const whole = anthropicWire.events({
      calls: [{ id: 't1', name: 'weather', input: { city: 'Bonn' } }],
      finish: 'length',
    });
    const cut = whole.map((event) => event.replace('\\"Bonn\\"}', '\\"Bo'));
    server.answer = () => ({ chunks: cut });
    const got = await ask('anthropic/claude-sonnet-4-5');
    expect(got.finish?.finish).toBe('length');
    expect(got.calls.map((call) => call.inputText)).toEqual(['{"city":"Bo']);
  });

  it('report a failed response with its class', async () => {
    const failed = (code: string) => ({
      chunks: [
        responsesWire.events({})[0] ?? '',
        `data: ${JSON.stringify({ type: 'response.failed', sequence_number: 2, response: { id: 'r', error: { code, message: 'secret' }, status: 'failed', usage: null } })}\n\n`,
      ],
    });
    server.answer = () => failed('server_error');
    expect((await ask('openai/gpt-4o')).error?.errorClass).toBe('provider_stream');
    server.answer = () => failed('context_length_exceeded');
    expect((await ask('openai/gpt-4o')).error?.errorClass).toBe('context_overflow');
  });

  it('replace media that the package cannot express by a line, and say so', async () => {
    server.answer = () => ({ chunks: anthropicWire.events({ text: ['ok'] }) });
    const media = {
      kind: 'bytes',
      mediaType: 'application/zip',
      filename: 'a.zip',
      bytes: new Uint8Array([1]),
    } as const;
    const got = await ask('anthropic/claude-sonnet-4-5', {
      messages: [{ role: 'user', content: [{ type: 'media', media }] }],
    });
    expect(got.text).toBe('ok');
    expect(server.requests[0]?.text).toContain('[application/zip a.zip]');
    expect(got.all('warning').map((warning) => warning.option)).toEqual(['inputs']);
  });

  it('drop replayed calls that history dropped, and keep those that the continuation does not hold', async () => {
    server.answer = () => ({ chunks: googleWire.events({ text: ['ok'] }) });
    const part = (toolName: string) => ({
      type: 'tool-call',
      toolCallId: toolName,
      toolName,
      input: {},
      providerOptions: { google: { thoughtSignature: `s-${toolName}` } },
    });
    const call = (name: string) =>
      ({ type: 'call', callId: `c-${name}`, providerCallId: name, name, input: { kept: name } }) as const;
    const result = (name: string) =>
      ({ type: 'result', callId: `c-${name}`, providerCallId: name, name, text: 'r', isError: true }) as const;
    await ask('google/gemini-2.5-flash', {
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'go' }] },
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: '', continuation: { sdk: 'google', parts: [part('gone'), part('first')] } },
            call('first'),
            call('second'),
          ],
        },
        { role: 'tool', content: [result('first'), result('second')] },
      ],
    });
    const sent = server.requests[0]?.text ?? '';
    expect(sent).toContain('s-first');
    expect(sent).not.toContain('s-gone');
    expect(sent).toContain('"kept":"second"');
  });

  it('carry long answers through a reader slower than the network', async () => {
    const text = Array.from({ length: 40 }, (_, index) => `${String(index).padStart(3, '0')}${'x'.repeat(20_000)}`);
    server.answer = () => ({ chunks: [anthropicWire.events({ text }).join('')] });
    expect((await ask('anthropic/claude-sonnet-4-5')).text).toBe(text.join(''));
  });
});
