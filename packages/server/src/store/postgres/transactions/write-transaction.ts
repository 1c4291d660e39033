import { assert } from '../../../base/index.ts';
import type { WriteTx } from '../../contracts/index.ts';
import type { WriteAccess } from '../access.ts';
import type { Session } from '../connection/index.ts';
import { toCallerError } from '../connection/index.ts';
import {
  ArtifactWriteHandle,
  AuditHandle,
  ChannelWriteHandle,
  CounterHandle,
  IdempotencyHandle,
  InstanceHandle,
  LeaseHandle,
  LogWriteHandle,
  ObjectHandle,
  QueueHandle,
  ResourceWriteHandle,
  SearchWriteHandle,
} from '../tables/index.ts';
import type { TransactionScope } from './transaction-scope.ts';

/** The handle a transaction function gets. Parts are made when first used: most functions need two or three. */
export class WriteTransaction implements WriteTx {
  readonly effects: (() => void)[] = [];
  readonly #access: WriteAccess;
  readonly #scope: TransactionScope;
  readonly #session: Session;
  readonly #missingAnswers = new Set<string>();
  #depth = 0;
  #resources: ResourceWriteHandle | undefined;
  #log: LogWriteHandle | undefined;

  constructor(access: WriteAccess, scope: TransactionScope, session: Session) {
    this.#access = access;
    this.#scope = scope;
    this.#session = session;
  }

  get resources() {
    this.#resources ??= new ResourceWriteHandle(this.#access);
    return this.#resources;
  }

  get log() {
    this.#log ??= new LogWriteHandle(this.#access);
    return this.#log;
  }

  get channels() {
    return new ChannelWriteHandle(this.#access);
  }

  get search() {
    return new SearchWriteHandle(this.#access);
  }

  get artifacts() {
    return new ArtifactWriteHandle(this.#access);
  }

  get queue() {
    return new QueueHandle(this.#access);
  }

  get leases() {
    return new LeaseHandle(this.#access);
  }

  get idempotency() {
    return new IdempotencyHandle(this.#access, this.#missingAnswers);
  }

  get audit() {
    return new AuditHandle(this.#access);
  }

  get counters() {
    return new CounterHandle(this.#access);
  }

  get objects() {
    return new ObjectHandle(this.#access);
  }

  get instance() {
    return new InstanceHandle(this.#access);
  }

  now(): number {
    return this.#access.now;
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    this.#scope.enter();
    const depth = ++this.#depth;
    const effects = this.effects.length;
    const undoReads = this.#access.reads.mark();
    await this.#session.command('SAVEPOINT step');
    try {
      const result = await work();
      this.#scope.enter();
      assert(this.#depth === depth, 'savepoints of one transaction overlap');
      await this.#session.command('RELEASE SAVEPOINT step');
      return result;
    } catch (error) {
      this.#scope.enter();
      if (this.#session.lost === undefined) {
        await this.#session.command('ROLLBACK TO SAVEPOINT step');
        await this.#session.command('RELEASE SAVEPOINT step');
      }
      undoReads();
      this.effects.length = effects;
      throw toCallerError(error);
    } finally {
      this.#depth--;
    }
  }

  afterCommit(effect: () => void): void {
    this.#scope.enter();
    this.effects.push(effect);
  }
}
