import { assert } from '../../base/index.ts';
import type { WriteTx } from '../contracts/index.ts';
import type { WriteAccess } from './access.ts';
import type { Connection, Statement } from './connection.ts';
import { givenUp } from './storage-fault.ts';
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
  type Tables,
} from './tables/index.ts';

/** Savepoints of the writing connection: `job`, one per transaction function; `step`, those a function asks for inside it. */
export class Savepoints {
  readonly #tables: Tables;
  readonly #begin: Statement;
  readonly #undo: Statement;
  readonly #release: Statement;

  /** `name`: undoing a savepoint of one name also undoes those of another name begun inside it. */
  constructor(connection: Connection, tables: Tables, name: 'job' | 'step') {
    this.#tables = tables;
    this.#begin = connection.statement(`SAVEPOINT ${name}`);
    this.#undo = connection.statement(`ROLLBACK TO ${name}`);
    this.#release = connection.statement(`RELEASE ${name}`);
  }

  begin(): void {
    this.#begin.run();
  }

  keep(): void {
    this.#release.run();
  }

  undo(): void {
    this.#tables.resourceWrites.forgetVersion();
    this.#undo.run();
    this.#release.run();
  }
}

/** One run of one transaction function: its clock, its effects, and whether its handle may still be used. */
export class WriteScope implements WriteAccess<Tables> {
  readonly connection: Connection;
  readonly tables: Tables;
  readonly now: number;
  readonly steadyNow: number;
  readonly nextToken: () => string;
  readonly #pause: () => Promise<void>;
  readonly effects: (() => void)[] = [];
  isDirty = false;
  #isOpen = true;

  constructor(
    connection: Connection,
    tables: Tables,
    run: Pick<WriteAccess, 'now' | 'steadyNow' | 'nextToken'> & { readonly pause: () => Promise<void> },
  ) {
    this.connection = connection;
    this.tables = tables;
    this.now = run.now;
    this.steadyNow = run.steadyNow;
    this.nextToken = run.nextToken;
    this.#pause = run.pause;
  }

  enter(): void {
    assert(this.#isOpen, 'a transaction handle was used after its function ended');
  }

  /** A function that continues after SQLite gave the transaction up must not write: each statement would commit alone. */
  change(): void {
    this.enter();
    if (!this.connection.isInTransaction) throw givenUp();
    this.isDirty = true;
  }

  leave<T>(value: T): T {
    return value;
  }

  pause(): Promise<void> {
    this.enter();
    return this.#pause();
  }

  close(): void {
    this.#isOpen = false;
  }
}

/** The handle a transaction function gets. Parts are made when first used: most functions need two or three. */
export class WriteTransaction extends DescribedWriteHandles implements WriteTx {
  readonly #scope: WriteScope;
  readonly #savepoints: Savepoints;
  #depth = 0;
  #resources: ResourceWriteHandle | undefined;
  #log: LogWriteHandle | undefined;

  constructor(scope: WriteScope, savepoints: Savepoints) {
    super(scope);
    this.#scope = scope;
    this.#savepoints = savepoints;
  }

  get resources() {
    this.#resources ??= new ResourceWriteHandle(this.#scope);
    return this.#resources;
  }

  get log() {
    this.#log ??= new LogWriteHandle(this.#scope);
    return this.#log;
  }

  get channels() {
    return new ChannelWriteHandle(this.#scope);
  }

  get search() {
    return new SearchWriteHandle(this.#scope);
  }

  get audit() {
    return new AuditHandle(this.#scope);
  }

  get counters() {
    return new CounterHandle(this.#scope);
  }

  get objects() {
    return new ObjectHandle(this.#scope);
  }

  get instance() {
    return new InstanceHandle(this.#scope);
  }

  now(): number {
    return this.#scope.now;
  }

  steadyNow(): number {
    return this.#scope.steadyNow;
  }

  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    this.#scope.enter();
    const depth = ++this.#depth;
    const effects = this.#scope.effects.length;
    this.#savepoints.begin();
    try {
      const result = await work();
      this.#scope.enter();
      assert(this.#depth === depth, 'savepoints of one transaction overlap');
      this.#savepoints.keep();
      return result;
    } catch (error) {
      this.#scope.enter();
      this.#savepoints.undo();
      this.#scope.effects.length = effects;
      throw error;
    } finally {
      this.#depth--;
    }
  }

  /** There is one writer. */
  async inLine(): Promise<void> {
    this.#scope.enter();
  }

  pause(): Promise<void> {
    return this.#scope.pause();
  }

  afterCommit(effect: () => void): void {
    this.#scope.enter();
    this.#scope.effects.push(effect);
  }
}
