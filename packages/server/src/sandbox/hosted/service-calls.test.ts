import { describe, expect, it } from 'vitest';
import { Fault, ManualClock } from '../../base/index.ts';
import { loadClient, ServiceCalls } from './service-calls.ts';

describe('calls of a hosted service', () => {
  const clock = new ManualClock();
  const calls = new ServiceCalls({ title: 'Cloud', clock, meaningOf: (error) => (error === 404 ? 'gone' : 'other') });
  const rejecting = (error: unknown) => async (): Promise<never> => {
    throw error;
  };

  it('fail as faults that say what the service said, and in time', async () => {
    await expect(calls.ask('x', rejecting(404))).rejects.toMatchObject({ reason: 'SANDBOX_LOST' });
    expect(await calls.find('x', rejecting(404))).toBeUndefined();
    await expect(calls.find('make it', rejecting(new Error('no room')))).rejects.toMatchObject({
      message: 'Cloud could not make it: no room',
    });
    await expect(calls.ask('make it', rejecting({}))).rejects.toMatchObject({ message: /the connection broke/ });
    const own = new Fault('NOT_FOUND', 'OWN', 'own');
    await expect(calls.ask('x', rejecting(own))).rejects.toBe(own);
    const late = calls.ask('x', () => new Promise(() => undefined));
    clock.advance(60_000);
    await expect(late).rejects.toMatchObject({ message: 'Cloud did not answer within 60 s' });
  });

  it('say how to install a client that is absent', async () => {
    const absent = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
    await expect(loadClient('e2b', rejecting(absent))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: /npm install e2b/,
    });
    await expect(loadClient('e2b', rejecting(new Error('broken')))).rejects.toThrow('broken');
    expect(await loadClient('e2b', async () => 'client')).toBe('client');
  });
});
