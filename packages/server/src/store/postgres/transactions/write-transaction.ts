import { createHash } from 'node:crypto';
import type { WriteTx } from '../../contracts/index.ts';
import type { WriteAccess } from '../access.ts';
import { statement, toCallerError } from '../connection/index.ts';
import {
  AuditHandle,
  ChannelWriteHandle,
  CounterHandle,
  DescribedWriteHandles,
  InstanceHandle,
  LogWriteHandle,
  ObjectHandle,
  ResourceWriteHandle,
  SearchWriteHandle,
} from '../tables/index.ts';
import type { TransactionScope } from './transaction-scope.ts';

/** Lines of the whole database: locks are few, however much one transaction names. */
const LINES = 64;
/** In the order given, so that two transactions never wait for each other here. */
const STAND_IN_LINES = statement('SELECT pg_advisory_xact_lock(3, line) FROM unnest($1::integer[]) AS line');

const lineOf = (name: string): number => createHash('sha256').update(name).digest().readUInt32BE() % LINES;

/** The handle a transaction function gets. Parts are made when first used: most functions need two or three. */
export class WriteTransaction extends DescribedWriteHandles implements WriteTx {
  readonly effects: (() => void)[] = [];
  readonly #access: WriteAccess;
  readonly #scope: TransactionScope;
  #resources: ResourceWriteHandle | undefined;
  #log: LogWriteHandle | undefined;

  constructor(access: WriteAccess, scope: TransactionScope) {
    super(access);
    this.#access = access;
    this.#scope = scope;
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

  steadyNow(): number {
    return this.#access.steadyNow;
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    const savepoint = this.#scope.savepoint();
    const effects = this.effects.length;
    const undoReads = this.#access.reads.mark();
    try {
      const result = await work();
      await this.#scope.release(savepoint);
      return result;
    } catch (error) {
      await this.#scope.undo(savepoint);
      undoReads();
      this.#log?.forgetHeld();
      this.effects.length = effects;
      throw toCallerError(error);
    }
  }

  async inLine(names: readonly string[]): Promise<void> {
    const lines = [...new Set(names.map(lineOf))].sort((left, right) => left - right);
    if (lines.length > 0) await this.#scope.rows(STAND_IN_LINES, [lines]);
  }

  /** Every answer of the database is a turn already. */
  async pause(): Promise<void> {
    this.#scope.enter();
  }

  afterCommit(effect: () => void): void {
    this.#scope.enter();
    this.effects.push(effect);
  }
}
