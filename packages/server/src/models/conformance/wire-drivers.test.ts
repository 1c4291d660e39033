import { afterAll, beforeAll } from 'vitest';
import type { ModelRegistry } from '../contract.ts';
import {
  anthropicWire,
  compatibleWire,
  googleWire,
  modelsConfig,
  openaiChatWire,
  responsesWire,
  testRegistry,
  testRequest,
  WireServer,
} from '../testing/index.ts';
import { describeModelDriver } from './index.ts';

for (const wire of [compatibleWire, openaiChatWire, responsesWire, anthropicWire, googleWire]) {
  let server: WireServer;
  let registry: ModelRegistry;
  beforeAll(async () => {
    server = await WireServer.start();
    const provider = { ...wire.provider, baseUrl: `${server.origin}${wire.basePath}`, apiKey: 'test-key' };
    registry = testRegistry(
      modelsConfig({ p: provider }, { tries: 1, breaker: { failures: 99, withinMs: 1, openMs: 1 } }),
    );
  });
  afterAll(async () => {
    await registry.close();
    await server.close();
  });
  describeModelDriver({
    name: wire.name,
    registry: () => registry,
    showsReasoning: wire !== openaiChatWire,
    arrange: (answer, more) => {
      if (answer === 'error-in-body') server.answer = () => ({ chunks: [wire.errorEvent()] });
      else if (answer === 'cut')
        server.answer = () => ({ chunks: wire.events({ text: ['half ', 'way'] }).slice(0, -2), end: 'destroy' });
      else server.answer = () => ({ chunks: wire.events(answer) });
      return testRequest(`p/${wire.model}`, 'hello', more);
    },
  });
}
