import { type Clock, Fault, isFault } from '../../../base/index.ts';
import { isTurnOver } from '../../../runtime/contract.ts';
import type {
  SandboxCommand,
  SandboxPlan,
  SandboxProcess,
  SandboxProvider,
  SandboxResult,
} from '../../../sandbox/contract.ts';
import type { ResourceKey, StoredResource } from '../../../store/contracts/index.ts';
import { heldLease, type Lease, putLease } from './lease-records.ts';
import type { Backend, BackendsDeps, SandboxBackends } from './sandbox-backends.ts';
import { type LeaseDeps, type LeaseRequest, leaseSandbox, releaseLease, renewLease } from './sandbox-leases.ts';
import { type ResolvedPolicy, resolvePolicy } from './sandbox-resolution.ts';

export interface HolderDeps extends BackendsDeps, LeaseDeps {
  readonly clock: Clock;
  readonly backends: SandboxBackends;
  /** `sandbox.idleStop`, milliseconds. */
  readonly idleMs: number;
}

/** Who wants to use a sandbox. */
export interface SandboxUser {
  readonly request: LeaseRequest;
  /** Name of the policy; '' = `default`. */
  readonly policy: string;
  readonly signal: AbortSignal;
}

/** A sandbox during one use. */
export interface OpenSandbox {
  /** Name of its record. */
  readonly name: string;
  /** Files of earlier calls were lost, and this use is the one that says so. */
  readonly isReset: boolean;
  readonly provider: SandboxProvider;
  readonly plan: SandboxPlan;
  /** Ends with the use, and with the lease. */
  readonly signal: AbortSignal;
  /** Runs a command that the record of the sandbox lists. */
  exec(command: SandboxCommand): Promise<SandboxResult>;
  /** As `exec`, for a command that runs on; the caller awaits its end. */
  start(command: SandboxCommand, signal: AbortSignal): Promise<SandboxProcess>;
}

interface Held {
  readonly id: string;
  readonly token: string;
  readonly key: ResourceKey;
  readonly turn: string;
  /** Aborted when the lease is lost. */
  readonly lost: AbortController;
  uses: number;
  usedAtMs: number;
}

/** How often a call that waits for a free sandbox asks again. */
const WAIT_MS = 500;
/** A use that finds its sandbox gone replaces it once. */
const TRIES = 2;
const MICROS = 1_000;

const useKey = ({ request, policy }: SandboxUser): string =>
  JSON.stringify([request.namespace, request.sessionId, policy]);

/** The leases that this process holds: it takes them when they are first used, and keeps them until they were idle for long. */
export class SandboxHolder {
  readonly #deps: HolderDeps;
  readonly #held = new Map<string, Held>();
  readonly #opening = new Map<string, Promise<Held>>();

  constructor(deps: HolderDeps) {
    this.#deps = deps;
  }

  /**
   * Runs `work` in the sandbox of the session. `isReset`: files of earlier calls were lost, and this call is the one that says so, also
   * when it runs again. Throws Faults SANDBOX_POLICY, SANDBOX_QUOTA, SANDBOX_FAILED, SANDBOX_PROVIDER.
   */
  async use<T>(
    user: SandboxUser,
    work: (sandbox: OpenSandbox) => Promise<T>,
  ): Promise<{ readonly value: T; readonly isReset: boolean }> {
    for (let tries = 1; ; tries++) {
      const held = await this.#open(user);
      const isReset = await this.#check(held, user.request.callKey);
      if (isReset === undefined) {
        this.#drop(user, held);
        if (tries < TRIES) continue;
        throw leaseLost();
      }
      held.uses++;
      try {
        return { value: await work(await this.#opened(held, user, isReset)), isReset };
      } catch (error) {
        if (!isFault(error) || error.reason !== 'SANDBOX_LOST' || tries === TRIES) throw error;
        this.#drop(user, held);
      } finally {
        held.uses--;
        held.usedAtMs = this.#deps.clock.monotonicMs();
      }
    }
  }

  /** Renews what is in use, releases what was idle for long or whose turn is over. Called every 20 s. */
  async tick(): Promise<void> {
    for (const [key, held] of this.#held) {
      if (await this.#isOver(held)) {
        this.#held.delete(key);
        await this.#deps.store.write((tx) => releaseLease(this.#deps, tx, held));
        continue;
      }
      const idleMicros = Math.floor(this.#idleMs(held) * MICROS);
      const isRenewed = await this.#deps.store.write((tx) => renewLease(tx, held, tx.steadyNow() - idleMicros), {
        isUrgent: true,
      });
      if (!isRenewed) this.#end(key, held);
    }
  }

  #idleMs({ uses, usedAtMs }: Held): number {
    return uses > 0 ? 0 : Math.max(0, this.#deps.clock.monotonicMs() - usedAtMs);
  }

  async #isOver(held: Held): Promise<boolean> {
    if (held.uses > 0) return false;
    if (this.#idleMs(held) >= this.#deps.idleMs) return true;
    if (held.turn === '') return false;
    const turn = await this.#deps.store.direct.log.turn(held.turn);
    return turn === undefined || isTurnOver(turn);
  }

  /** Leases and provisions; calls of a session that come together share it. */
  async #open(user: SandboxUser): Promise<Held> {
    const key = useKey(user);
    const held = this.#held.get(key);
    const opening = this.#opening.get(key);
    if (opening !== undefined) return opening;
    if (held !== undefined && (held.turn === '' || held.turn === user.request.turnId)) return held;
    const made = this.#lease(user).finally(() => this.#opening.delete(key));
    this.#opening.set(key, made);
    return made;
  }

  async #lease(user: SandboxUser): Promise<Held> {
    const { store, clock } = this.#deps;
    const policy = await this.#policy(user);
    const { lease, key } = await this.#granted(user, policy);
    const { id, token, body } = lease;
    const held: Held = {
      id,
      token,
      key,
      turn: body.turn,
      lost: new AbortController(),
      uses: 1,
      usedAtMs: clock.monotonicMs(),
    };
    // Held from now on: a setup may take longer than a lease that no one renews.
    this.#held.set(useKey(user), held);
    try {
      await this.#provision(held, body, AbortSignal.any([user.signal, held.lost.signal]));
      held.uses--;
      return held;
    } catch (error) {
      this.#end(useKey(user), held);
      await store.write(async (tx) => {
        if (isFault(error) && error.reason === 'SANDBOX_FAILED' && (await heldLease(tx, held)) !== undefined)
          await this.#deps.backends.note(tx, key, { failure: error.message });
        await releaseLease(this.#deps, tx, held);
      });
      throw error;
    }
  }

  async #policy({ request, policy }: SandboxUser): Promise<ResolvedPolicy> {
    const { namespace } = request;
    const found = await this.#deps.store.read((tx) => resolvePolicy(this.#deps, tx, { namespace, policy }));
    if (found === undefined)
      throw new Fault('FAILED_PRECONDITION', 'SANDBOX_POLICY', 'the agent has no usable sandbox policy');
    return found;
  }

  async #granted(
    user: SandboxUser,
    policy: ResolvedPolicy,
  ): Promise<{ readonly lease: Lease; readonly key: ResourceKey }> {
    const { request, signal } = user;
    for (;;) {
      signal.throwIfAborted();
      const outcome = await this.#deps.store.write((tx) => leaseSandbox(this.#deps, tx, { request, policy }));
      if (!('waiting' in outcome)) return outcome;
      await this.#pause(signal);
    }
  }

  #pause(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#deps.clock.after(WAIT_MS, () => {
        signal.removeEventListener('abort', stop);
        resolve();
      });
      const stop = (): void => {
        cancel();
        resolve();
      };
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  async #provision(held: Held, body: Lease['body'], signal: AbortSignal): Promise<void> {
    const { store, backends } = this.#deps;
    const { isLost } = await backends.provision(await this.#record(held), body.isReady, signal);
    await store.write(async (tx) => {
      const lease = await heldLease(tx, held);
      if (lease === undefined) throw leaseLost();
      const reset = isLost ? { isReset: true, resetCall: '' } : {};
      await putLease(tx, { ...lease, body: { ...lease.body, isReady: true, ...reset } });
      await backends.note(tx, held.key, { phase: 'Leased' });
    });
  }

  async #record(held: Held): Promise<StoredResource> {
    const record = await this.#deps.store.direct.resources.get(held.key);
    if (record === undefined || record.uid !== held.id) throw leaseLost();
    return record;
  }

  /** Whether the call has to say that files were lost; undefined when the lease is lost. */
  #check(held: Held, callKey: string): Promise<boolean | undefined> {
    return this.#deps.store.write(async (tx) => {
      const lease = await heldLease(tx, held);
      if (lease === undefined) return undefined;
      const { isReset, resetCall } = lease.body;
      if (!isReset) return false;
      const isMine = resetCall === '' || resetCall === callKey;
      const next = isMine ? { isReset: true, resetCall: callKey } : { isReset: false, resetCall: '' };
      await putLease(tx, { ...lease, body: { ...lease.body, ...next } });
      return isMine;
    });
  }

  async #opened(held: Held, user: SandboxUser, isReset: boolean): Promise<OpenSandbox> {
    const { backends } = this.#deps;
    const record = await this.#record(held);
    const backend: Backend = await backends.find(record);
    const { provider, resolved } = backend;
    const signal = AbortSignal.any([user.signal, held.lost.signal]);
    const { plan } = resolved;
    const exec = (command: SandboxCommand): Promise<SandboxResult> =>
      backends.noted(record, command, () => provider.exec(plan, command, signal));
    const start = async (command: SandboxCommand, stop: AbortSignal): Promise<SandboxProcess> => {
      const { promise: begun, resolve, reject } = Promise.withResolvers<SandboxProcess>();
      const ended = backends.noted(record, command, async () => {
        const process = await provider.start(plan, command, AbortSignal.any([signal, stop]));
        resolve(process);
        return process.ended;
      });
      ended.catch(reject);
      return { ...(await begun), ended };
    };
    return { name: held.key.name, isReset, provider, plan, signal, exec, start };
  }

  #drop(user: SandboxUser, held: Held): void {
    this.#end(useKey(user), held);
  }

  #end(key: string, held: Held): void {
    held.lost.abort();
    if (this.#held.get(key) === held) this.#held.delete(key);
  }
}

const leaseLost = (): Fault => new Fault('ABORTED', 'SANDBOX_LEASE', 'the lease of the sandbox was lost');
