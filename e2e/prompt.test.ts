import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RestCaller, type SessionKey } from './calls/index.ts';
import { MockModel } from './mock-model/index.ts';
import { ServerProcess } from './server-process/index.ts';

interface ShownStep {
  readonly step: number;
  readonly outcome: string;
  readonly provider: string;
  readonly model: string;
  readonly sentSha256: string;
  readonly sentBytes: string;
  readonly usage?: { readonly inputTokens: string };
}

interface ShownRequest {
  readonly step: ShownStep;
  readonly state: string;
  readonly rebuiltSha256: string;
  readonly body: string;
  readonly pieces: readonly { readonly source: string; readonly text: string; readonly name?: string }[];
}

let model: MockModel;
let server: ServerProcess;
let rest: RestCaller;
beforeAll(async () => {
  model = await MockModel.start();
  server = await ServerProcess.start({ environment: model.environment });
  rest = new RestCaller(server.url);
  await rest.createAgent('shown', {
    systemPrompt: 'You are {{ agent.name }} on {{ date }}; be “brief”.',
    postHistoryPrompt: 'Answer in one line.',
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

const turnPath = ([agent, sessionId]: SessionKey, turnId: string): string =>
  `${rest.sessionPath(agent, sessionId)}/turns/${turnId}`;

const requestOf = (path: string, step: number): Promise<ShownRequest> =>
  rest.ok<ShownRequest>(`GET ${path}/steps/${step}/request?include_body=true`);

describe('the requests of a conversation', () => {
  it('are answered byte for byte as the provider received them, after a restart of the server as well', async () => {
    const session = await rest.createSession('shown');
    const texts = ['say I calculate\ncall calculate {"expression":"6*7"}\nwords 3', 'words 2\nthen: ümläut 🙂'];
    const turnIds: string[] = [];
    for (const text of texts) turnIds.push((await rest.send(session, text, { wait_seconds: 20 })).turnId);
    const compare = async (): Promise<readonly string[]> => {
      const shown: string[] = [];
      for (const [index, turnId] of turnIds.entries()) {
        const path = turnPath(session, turnId);
        const { steps } = await rest.ok<{ readonly steps: readonly ShownStep[] }>(`GET ${path}/steps`);
        const received = model.requests
          .filter(({ text }) => text.startsWith(texts[index] ?? '-'))
          .map(({ body }) => body);
        expect(steps.map(({ step }) => step)).toEqual(received.map((_, at) => at + 1));
        for (const [at, body] of received.entries()) {
          const request = await requestOf(path, at + 1);
          expect(request.body).toBe(body);
          expect(request.state).toBe('STEP_REQUEST_STATE_EXACT');
          const facts = { sha256: request.step.sentSha256, rebuilt: request.rebuiltSha256 };
          expect(facts).toEqual({ sha256: hashOf(body), rebuilt: hashOf(body) });
          expect(Number(request.step.sentBytes)).toBe(Buffer.byteLength(body));
          shown.push(`${request.step.outcome} ${request.pieces.map(({ source }) => source).join(' ')}`);
        }
      }
      return shown;
    };
    const before = await compare();
    expect(before.map((line) => line.replace(/(tool )+/, 'tools '))).toEqual([
      'tool_calls tools system_prompt transcript post_history',
      'answered tools system_prompt transcript post_history transcript transcript transcript',
      'answered tools system_prompt transcript transcript transcript transcript transcript transcript post_history',
    ]);
    await server.kill();
    await server.restart();
    rest = new RestCaller(server.url);
    expect(await compare()).toEqual(before);
  });

  it('are unavailable with the reason once a message was edited, and gone with a clear', async () => {
    const session = await rest.createSession('shown');
    const { turnId, messageId } = await rest.send(session, 'words 2', { wait_seconds: 20 });
    const path = turnPath(session, turnId);
    expect((await requestOf(path, 1)).state).toBe('STEP_REQUEST_STATE_EXACT');
    const [agent, sessionId] = session;
    await rest.ok(`PATCH ${rest.sessionPath(agent, sessionId)}/messages/${messageId}`, {
      parts: [{ part_type: 'SESSION_MESSAGE_PART_TYPE_TEXT', content: 'words 3' }],
    });
    expect(await requestOf(path, 1)).toMatchObject({
      state: 'STEP_REQUEST_STATE_UNAVAILABLE',
      reason: 'MESSAGE_EDITED',
      pieces: [],
    });
    await rest.ok(`POST ${rest.sessionPath(agent, sessionId)}:clear`, {});
    expect((await rest.call(`GET ${path}/steps/1/request`)).status).toBe(404);
  });
});
