import { describe, expect, it } from 'vitest';
import { isLegacy, restCall } from './rest-rules.ts';

const call = (method: string, target: string, body = '') => {
  const [path = '', query = ''] = target.split('?');
  return restCall({ method, path, body, query: new URLSearchParams(query) });
};
const named = (method: string, path: string, body = ''): string => call(method, path, body).method;

describe('a call over REST', () => {
  it('is of a version before 1.0 when it names none', () => {
    expect(['', '0.3', '1.0', '1'].map(isLegacy)).toEqual([true, true, false, false]);
  });

  it('sends messages with the body as parameters', () => {
    expect(call('POST', 'message:send', '{"message":{}}')).toEqual({ method: 'SendMessage', params: { message: {} } });
    expect(call('POST', 'message:stream')).toEqual({ method: 'SendStreamingMessage', params: {} });
    expect(call('POST', 'message:send', '[1]').params).toEqual({});
    expect(call('POST', 'message:send', 'null').params).toEqual({});
    expect(named('GET', 'message:send')).toBe('Unknown');
  });

  it('reads, lists, cancels and follows tasks', () => {
    expect(call('GET', 'tasks/7?historyLength=3')).toEqual({
      method: 'GetTask',
      params: { historyLength: 3, id: '7' },
    });
    expect(call('GET', 'tasks?contextId=c&pageSize=2').params).toEqual({ contextId: 'c', pageSize: 2 });
    expect(named('POST', 'tasks/7:cancel')).toBe('CancelTask');
    expect(call('POST', 'tasks/7:subscribe')).toEqual({ method: 'SubscribeToTask', params: { id: '7' } });
    expect([named('POST', 'tasks'), named('POST', 'tasks/7'), named('POST', 'tasks/7:eat')]).toEqual(
      Array(3).fill('Unknown'),
    );
  });

  it('sets, shows, lists and deletes where the states of a task are sent', () => {
    const at = 'tasks/7/pushNotificationConfigs';
    expect(call('POST', at, '{"url":"https://hooks.example"}')).toEqual({
      method: 'CreateTaskPushNotificationConfig',
      params: { taskId: '7', url: 'https://hooks.example' },
    });
    expect(call('GET', at)).toEqual({ method: 'ListTaskPushNotificationConfigs', params: { taskId: '7' } });
    const one = { taskId: '7', id: 'mine' };
    expect(call('GET', `${at}/mine`)).toEqual({ method: 'GetTaskPushNotificationConfig', params: one });
    expect(call('DELETE', `${at}/mine`)).toEqual({ method: 'DeleteTaskPushNotificationConfig', params: one });
    expect([named('DELETE', at), named('POST', `${at}/mine`)]).toEqual(['Unknown', 'Unknown']);
  });

  it('asks for the card of signed-in callers', () => {
    expect([named('GET', 'extendedAgentCard'), named('GET', 'card'), named('GET', 'other')]).toEqual([
      'GetExtendedAgentCard',
      'GetExtendedAgentCard',
      'Unknown',
    ]);
  });
});
