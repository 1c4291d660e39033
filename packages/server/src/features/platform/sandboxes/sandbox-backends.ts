import { Fault, type Ids, type Log } from '../../../base/index.ts';
import type { ResourceWriter } from '../../../controllers/contract.ts';
import type { SandboxCommand, SandboxProvider, SandboxResult } from '../../../sandbox/contract.ts';
import type { ResourceKey, Store, StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import { leaseOf, showInSession } from './lease-records.ts';
import type { ProviderPool } from './providers/index.ts';
import {
  BACKEND_FINALIZER,
  type BackendChange,
  backendStatus,
  PROVISIONED,
  processStatus,
  SETUP_DONE,
  sandboxStatus,
} from './sandbox-records.ts';
import { type ResolutionDeps, type ResolvedSandbox, resolveSandbox } from './sandbox-resolution.ts';
import { runSetup } from './sandbox-setup.ts';

export interface BackendsDeps extends ResolutionDeps {
  readonly store: Store;
  readonly writer: ResourceWriter;
  readonly pool: Pick<ProviderPool, 'find' | 'opened'>;
  readonly ids: Ids;
  readonly log: Log;
}

/** A sandbox whose backend runs. */
export interface Backend {
  readonly provider: SandboxProvider;
  readonly resolved: ResolvedSandbox;
}

/** Setups tried until a sandbox counts as failed. */
const TRIES = 2;

/** Makes, sets up and removes the backends of stored sandboxes. */
export class SandboxBackends {
  readonly #deps: BackendsDeps;

  constructor(deps: BackendsDeps) {
    this.#deps = deps;
  }

  /** The provider and plan of a stored sandbox; Fault FAILED_PRECONDITION SANDBOX_UNRESOLVED. */
  async find(record: StoredResource): Promise<Backend> {
    const resolved = await this.#deps.store.read((tx) => resolveSandbox(this.#deps, tx, record));
    if (resolved === undefined)
      throw new Fault('FAILED_PRECONDITION', 'SANDBOX_UNRESOLVED', 'the class of the sandbox does not exist');
    const { choice } = resolved;
    const provider = this.#deps.pool.find(choice);
    if (provider === undefined)
      throw new Fault('UNAVAILABLE', 'SANDBOX_PROVIDER', `this server has no sandbox provider ${choice.provider}`);
    return { provider, resolved };
  }

  /**
   * Makes the backend and sets it up. One that is there already is kept when its setup was `isReady`, else it is replaced. Answers whether
   * what was ready is lost. A setup that fails twice leaves no backend; its Fault SANDBOX_FAILED has the output.
   */
  async provision(
    record: StoredResource,
    isReady: boolean,
    signal: AbortSignal,
  ): Promise<{ readonly isLost: boolean }> {
    const { provider, resolved } = await this.find(record);
    if (isReady && (await provider.exists(resolved.plan.id))) return { isLost: false };
    await provider.destroy(resolved.plan.id);
    for (let tries = 1; ; tries++) {
      await provider.create(resolved.plan);
      try {
        await runSetup(provider, resolved, signal);
        return { isLost: isReady };
      } catch (error) {
        await provider.destroy(resolved.plan.id);
        const isSetup = error instanceof Fault && error.reason === 'SANDBOX_SETUP';
        if (!isSetup) throw error;
        if (tries === TRIES) throw new Fault('FAILED_PRECONDITION', 'SANDBOX_FAILED', error.message, { cause: error });
      }
    }
  }

  /** Runs a command that the record of the sandbox lists, with how it ended. */
  async noted(
    of: Pick<StoredResource, 'key' | 'uid'>,
    { argv }: SandboxCommand,
    run: () => Promise<SandboxResult>,
  ): Promise<SandboxResult> {
    const { ids, store, writer } = this.#deps;
    const id = ids.next();
    const note = (phase: 'Running' | 'Exited' | 'Killed'): Promise<unknown> =>
      store.write((tx) =>
        writer.writeStatus(tx, of.key, (record) =>
          record.uid === of.uid ? { status: processStatus(record, { id, argv, phase }) } : undefined,
        ),
      );
    await note('Running');
    let ended: 'Exited' | 'Killed' = 'Killed';
    try {
      const result = await run();
      if (result.endedBy === 'exit') ended = 'Exited';
      return result;
    } finally {
      await note(ended);
    }
  }

  /** Notes in the record what became of its backend. */
  async note(
    tx: WriteTx,
    key: ResourceKey,
    outcome: { readonly phase: 'Ready' | 'Leased' } | { readonly failure: string },
  ) {
    await this.#deps.writer.writeStatus(tx, key, (record) => {
      const isDone = 'phase' in outcome;
      const change: BackendChange = isDone
        ? { phase: outcome.phase, backendId: record.uid, provisioned: PROVISIONED, setup: SETUP_DONE }
        : {
            phase: 'Failed',
            backendId: '',
            provisioned: { type: 'Provisioned', status: 'False', reason: 'Destroyed' },
            setup: { type: 'SetupDone', status: 'False', reason: 'SetupFailed', message: outcome.failure },
          };
      return { status: backendStatus(record, change, tx.now()) };
    });
  }

  /** Removes the backend of a record that is being deleted, then lets the record go. */
  async release(record: StoredResource): Promise<void> {
    const { store, writer, pool } = this.#deps;
    const resolved = await store.read((tx) => resolveSandbox(this.#deps, tx, record));
    const provider = resolved === undefined ? undefined : pool.find(resolved.choice);
    // Its class may be gone, and with it the name of the provider: then every provider of this process is asked.
    for (const each of provider === undefined ? pool.opened() : [provider]) await each.destroy(record.uid);
    await store.write(async (tx) => {
      const row = await tx.sandboxLeases.get({ id: record.uid });
      if (row !== undefined) await showInSession(tx, leaseOf(row).body.session, { from: record.key.name, to: '' });
      await tx.sandboxLeases.remove({ id: record.uid });
      await writer.writeStatus(tx, record.key, (current) => ({
        finalizers: current.finalizers.filter((name) => name !== BACKEND_FINALIZER),
      }));
    });
  }

  /** True for a sandbox whose backend was made and set up. */
  isProvisioned(record: StoredResource): boolean {
    return sandboxStatus(record).backendId !== '';
  }
}
