import { describe, expect, it } from 'vitest';
import type { SandboxProvider } from '../contract.ts';
import { shown, testCommand, testPlan } from '../testing/plans.ts';

/** A provider under test, and how its commands say what the suite wants. */
export interface ProviderUnderTest {
  readonly provider: () => SandboxProvider;
  readonly echo: (text: string) => readonly string[];
  readonly fail: (code: number, text: string) => readonly string[];
  readonly hang: readonly string[];
  /** Writes to its output what it reads, until its input ends. */
  readonly mirror: readonly string[];
  readonly printVariable: (name: string) => readonly string[];
}

const never = (): AbortSignal => new AbortController().signal;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** What every provider must do. */
export const providerSuite = (name: string, { provider, ...says }: ProviderUnderTest): void => {
  describe(`the sandboxes of provider ${name}`, () => {
    it('are made once, found again by their id, and gone when they are destroyed', async () => {
      const plan = testPlan('once');
      expect(await provider().create(plan)).toBe('created');
      expect(await provider().create(plan)).toBe('present');
      expect((await provider().list()).backends).toContain('once');
      await provider().destroy('once');
      await provider().destroy('once');
      expect(await provider().exists('once')).toBe(false);
      await expect(provider().exec(plan, testCommand(says.echo('x')), never())).rejects.toMatchObject({
        reason: 'SANDBOX_LOST',
      });
    });

    it('run commands and say how they ended', async () => {
      const plan = testPlan('runs', { env: { COLOUR: 'red' } });
      await provider().create(plan);
      const said = await provider().exec(plan, testCommand(says.echo('hello')), never());
      expect([said.exitCode, said.endedBy, shown(said)]).toEqual([0, 'exit', { out: 'hello\n', err: '' }]);
      const failed = await provider().exec(plan, testCommand(says.fail(7, 'broken')), never());
      expect([failed.exitCode, failed.endedBy, shown(failed)]).toEqual([7, 'exit', { out: '', err: 'broken\n' }]);
      const [own, given] = await Promise.all([
        provider().exec(plan, testCommand(says.printVariable('COLOUR')), never()),
        provider().exec(plan, testCommand(says.printVariable('SIZE'), { env: { SIZE: 'big' } }), never()),
      ]);
      expect([shown(own).out, shown(given).out]).toEqual(['red\n', 'big\n']);
      await provider().destroy('runs');
    });

    it('end commands that take too long or are stopped, and drop output above the limit', async () => {
      const plan = testPlan('ends');
      await provider().create(plan);
      const late = await provider().exec(plan, testCommand(says.hang, { timeoutMs: 50 }), never());
      expect(late.endedBy).toBe('timeout');
      const stop = new AbortController();
      const running = provider().exec(plan, testCommand(says.hang), stop.signal);
      stop.abort();
      expect((await running).endedBy).toBe('stopped');
      const long = await provider().exec(plan, testCommand(says.echo('y'.repeat(9_000))), never());
      expect([long.isCut, long.stdout.length]).toEqual([true, 4_096]);
      await provider().destroy('ends');
    });

    it('start commands with which bytes are exchanged, and end them with their input or when they are stopped', async () => {
      const plan = testPlan('talks');
      await provider().create(plan);
      const talking = await provider().start(plan, testCommand(says.mirror), never());
      const output = talking.stdout[Symbol.asyncIterator]();
      for (const text of ['first', 'second']) {
        await talking.write(bytes(text));
        expect(Buffer.from((await output.next()).value as Uint8Array).toString()).toBe(text);
      }
      talking.closeInput();
      expect(await output.next()).toMatchObject({ done: true });
      expect(await talking.ended).toMatchObject({ exitCode: 0, endedBy: 'exit' });
      await talking.write(bytes('late'));
      const stop = new AbortController();
      const stopped = await provider().start(plan, testCommand(says.mirror), stop.signal);
      stop.abort();
      expect((await stopped.ended).endedBy).toBe('stopped');
      await provider().destroy('talks');
      await expect(provider().start(plan, testCommand(says.mirror), never())).rejects.toMatchObject({
        reason: 'SANDBOX_LOST',
      });
    });

    it('keep files, and say which are missing or too large', async () => {
      const plan = testPlan('files');
      const signal = never();
      await provider().create(plan);
      await provider().writeFile(plan, 'notes/a.txt', { signal, bytes: bytes('first') });
      await provider().writeFile(plan, '/workspace/notes/a.txt', { signal, bytes: bytes('second') });
      expect(Buffer.from(await provider().readFile(plan, 'notes/a.txt', { signal })).toString()).toBe('second');
      expect(await provider().listFiles(plan, 'notes', { signal })).toEqual([
        { name: 'a.txt', type: 'file', sizeBytes: 6 },
      ]);
      await expect(provider().readFile(plan, 'none', { signal })).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(provider().listFiles(plan, 'none', { signal })).rejects.toMatchObject({ code: 'NOT_FOUND' });
      const small = provider().readFile(plan, 'notes/a.txt', { signal, limitBytes: 3 });
      await expect(small).rejects.toMatchObject({ reason: 'TOO_LARGE' });
      await provider().destroy('files');
    });

    it('lose their files with the backend, except on a volume', async () => {
      const signal = never();
      const kept = testPlan('kept', { volume: 'v1' });
      for (const plan of [testPlan('lost'), kept]) {
        await provider().create(plan);
        await provider().writeFile(plan, 'f', { signal, bytes: bytes('x') });
        await provider().destroy(plan.id);
        expect(await provider().create(plan)).toBe('created');
      }
      await expect(provider().readFile(testPlan('lost'), 'f', { signal })).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect(Buffer.from(await provider().readFile(kept, 'f', { signal })).toString()).toBe('x');
      await provider().destroy('lost');
      await provider().destroy('kept');
      expect((await provider().list()).volumes).toContain('v1');
      await provider().destroyVolume('v1');
      expect((await provider().list()).volumes).not.toContain('v1');
    });
  });
};
