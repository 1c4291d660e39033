import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { textOrEmpty } from '../../../base/index.ts';
import type { McpOffer } from '../../../protocols/mcp-server/contract.ts';
import { askTools, callAskTool } from './ask-tools.ts';
import type { CallFacts } from './operation-calls.ts';
import { callOperationTool, operationTools } from './operation-tools.ts';
import { answerTurn, cancelTurn, type TaskPlace, turnEnded, turnTask, turnTasks } from './turn-tasks.ts';

/** Documents and skills that are offered at most. */
const LISTED = 200;
const MARKDOWN = 'text/markdown';

const objectOf = (value: JsonValue | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

const listOf = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.map(objectOf) : [];

/** `knowledge://<namespace>/<name>`: the address of a document. */
const uriOf = (namespace: string, name: string): string =>
  `knowledge://${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;

/** What one caller is offered in one namespace. */
export const mcpOffer = (place: TaskPlace, facts: CallFacts): McpOffer => {
  const { calls, namespace: ns } = place;
  const { caller } = facts.context;
  const knowledge = async (): Promise<readonly JsonObject[]> =>
    listOf((await calls.run('ListNamespaceKnowledge', { ns, pageSize: LISTED }, facts))['knowledge']);
  const skills = async (): Promise<readonly JsonObject[]> =>
    listOf((await calls.run('ListResources', { ns, kind: 'Skill', pageSize: LISTED }, facts))['resources']);
  return {
    tools: async () => [...(await askTools(place, facts)), ...operationTools(calls, caller)],
    call: async (call) => {
      const made = { ...facts, signal: call.signal, idempotencyKey: call.idempotencyKey };
      return (await callAskTool(place, call, made)) ?? (await callOperationTool(calls, call, made));
    },
    task: (id) => turnTask(place, id, facts),
    tasks: (cursor) => turnTasks(place, cursor, facts),
    taskEnded: (id, signal) => turnEnded(place, id, signal),
    cancelTask: (id) => cancelTurn(place, id, facts),
    answerTask: (id, replies) => answerTurn(place, { id, replies }, facts),
    documents: async () =>
      (await knowledge()).map((document) => {
        const name = textOrEmpty(objectOf(document['metadata'])['name']);
        const path = textOrEmpty(objectOf(document['spec'])['path']);
        return { uri: uriOf(ns, name), name: path || name, mediaType: MARKDOWN };
      }),
    read: async (uri) => {
      const found = (await knowledge()).find(
        (document) => uriOf(ns, textOrEmpty(objectOf(document['metadata'])['name'])) === uri,
      );
      if (found === undefined) return undefined;
      const name = textOrEmpty(objectOf(found['metadata'])['name']);
      const read = await calls.run('GetNamespaceKnowledge', { ns, name }, facts);
      return { mediaType: MARKDOWN, text: textOrEmpty(objectOf(objectOf(read['knowledge'])['spec'])['content']) };
    },
    prompts: async () =>
      (await skills()).map((skill) => ({
        name: textOrEmpty(objectOf(skill['metadata'])['name']),
        description: textOrEmpty(objectOf(objectOf(skill['spec'])['skill'])['description']),
      })),
    prompt: async (name) => {
      const found = (await skills()).find((skill) => objectOf(skill['metadata'])['name'] === name);
      return found === undefined ? undefined : textOrEmpty(objectOf(objectOf(found['spec'])['skill'])['instructions']);
    },
  };
};
