import type { JsonObject } from '@bufbuild/protobuf';
import { methods } from '@svc/api/methods';
import type { PlannedCall } from './call-generator.ts';

const call = (name: string, request: JsonObject): PlannedCall => {
  const method = methods.find((candidate) => candidate.name === name);
  if (method === undefined) throw new Error(`no operation ${name}`);
  return { method, request };
};

const one = { ns: 'default', agent: 'one' };
const session = { ...one, sessionId: '$session' };

/** What must exist before random calls mean something, and the rows of the contract that chance would hardly hit. */
export const seedCalls: readonly PlannedCall[] = [
  call('CreateNamespace', { name: 'team', labels: { team: 'x' } }),
  call('CreateNamespace', { name: 'team:child' }),
  call('CreateNamespace', { name: 'nowhere:child' }),
  call('CreateNamespace', { name: 'deep:er:child', recursive: true }),
  call('DeleteNamespace', { name: 'system' }),
  call('CreateAgent', { ns: 'default', name: 'one', spec: { systemPrompt: 'be brief' }, labels: { team: 'x' } }),
  call('CreateAgent', { ns: 'default', name: 'one' }),
  call('CreateAgent', {
    ns: 'default',
    name: 'two',
    spec: { modelPolicy: { profiles: [{ name: 'a', model: { name: 'echo', provider: 'demo' } }] } },
  }),
  call('CreateAgent', {
    ns: 'default',
    name: 'three',
    spec: { modelPolicy: { profiles: [{ name: 'a' }, { name: 'a', model: { name: 'echo', temperature: 9 } }] } },
  }),
  call('CreateAgent', { ns: 'default', name: 'four', labels: { 'svc/x': 'y' } }),
  call('CreateAgent', { ns: 'missing', name: 'five' }),
  call('CreateSession', one),
  call('CreateSession', { ns: 'default', agent: 'missing' }),
  call('CreateSession', { ...one, labels: { team: 'x' } }),
  call('SendMessage', { ...session, message: 'hello', waitSeconds: 20 }),
  call('SendMessage', { ...session, message: '!tool calculate {"expression":"6*7"}', waitSeconds: 20 }),
  call('SendMessage', { ...session, message: '!think hm\n!say äöü 😀', waitSeconds: 20 }),
  call('SendMessage', { ...session, message: '!error provider_auth', waitSeconds: 20 }),
  call('SendMessage', { ...session, message: ' ' }),
  call('SendMessage', { ...session, message: 'hello', labels: { 'model-profile': 'missing' } }),
  call('GetSession', session),
  call('GetSession', { ...session, messageLimit: -1 }),
  call('ListSessionMessages', { ...session, pageSize: 2 }),
  call('ListSessionMessages', { ...session, pageSize: -1 }),
  call('StreamSessionParts', { ...session, turnId: '$turn' }),
  call('StreamSessionParts', { ...session, turnId: '$turn', after: 'garbage' }),
  call('StreamSessionParts', { ...one, sessionId: 'not-an-id' }),
  call('StreamSessionPartsBatch', {}),
  call('StreamSessionPartsBatch', { sessions: [{ ...one, sessionId: '01890a5d-ac96-774b-bcce-b302099a8057' }] }),
  call('AppendSessionMessage', {
    ...session,
    message: { role: 'ROLE_USER', parts: [{ partType: 'SESSION_MESSAGE_PART_TYPE_TEXT', content: 'x' }] },
  }),
  call('AppendSessionMessage', { ...session, message: { parts: [] } }),
  call('ForkSession', { ...session, labels: { copy: 'yes' } }),
  call('ListTurns', session),
  call('GetTurn', { ...session, turnId: '$turn' }),
  call('UpdateSessionMessage', { ...session, messageId: '$message', labels: { seen: 'yes' } }),
  call('UpdateSessionMessage', { ...session, messageId: '$message', labels: { 'svc/turn': 'x' } }),
  call('StopSessionGeneration', session),
  call('StopSessionGeneration', { ...session, turnId: '01890a5d-ac96-774b-bcce-b302099a8057' }),
  call('ListAgents', { ns: 'default', pageSize: 1 }),
  call('ListAgents', { ns: 'default', labelSelector: 'team=x' }),
  call('ListAgents', { ns: 'default', pageToken: 'garbage' }),
  call('ListNamespaces', {}),
  call('ListNamespaces', { parent: 'team', recursive: true }),
  call('ModifyAgent', { ns: 'default', agent: 'one', updateMask: 'spec', spec: { systemPrompt: '{{ nonsense }}' } }),
  call('ModifyAgent', { ns: 'default', agent: 'one', resourceVersion: '1', spec: {} }),
];
