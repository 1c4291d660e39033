import type {
  AuditFilter,
  AuditRow,
  AuditWrites,
  CounterSpan,
  CounterWrites,
  InstanceValues,
  ObjectReferences,
} from '../../contracts/index.ts';
import type { Access, WriteAccess } from '../access.ts';
import type { ObjectReference } from '../tables/index.ts';

/** Reads of the small tables over one connection. */
export class WorkReadHandle {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  /** Of `audit`. */
  async list(filter: AuditFilter) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.audit.list(filter));
  }

  /** Of `audit`. */
  async chainHead() {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.audit.chainHead());
  }

  /** Of `objects`. */
  async hasReference(namespace: string, sha256: string) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.objects.has(namespace, sha256));
  }

  /** Of `counters`. */
  async sum(keys: readonly string[], span: CounterSpan) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.counters.sum(keys, span));
  }

  /** Of `counters`. */
  async hottest(prefix: string, span: CounterSpan) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.counters.hottest(prefix, span));
  }

  /** Of `instance`. */
  async value(name: string) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.instance.value(name));
  }
}

/** `AuditWrites` inside one write transaction. */
export class AuditHandle implements AuditWrites {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess) {
    this.#access = access;
  }

  async append(row: Omit<AuditRow, 'hash'>) {
    this.#access.change();
    this.#access.tables.audit.append(row);
  }

  async list(filter: AuditFilter) {
    this.#access.enter();
    return this.#access.tables.audit.list(filter);
  }

  async unchained(limit: number) {
    this.#access.enter();
    return this.#access.tables.audit.unchained(limit);
  }

  async chainHead() {
    this.#access.enter();
    return this.#access.tables.audit.chainHead();
  }

  async setHashes(hashes: Parameters<AuditWrites['setHashes']>[0]) {
    this.#access.change();
    for (const { id, hash } of hashes) this.#access.tables.audit.setHash(id, hash);
  }

  async trim(beforeMicros: number, limit: number) {
    this.#access.change();
    return this.#access.tables.audit.trim(beforeMicros, limit);
  }
}

/** `CounterWrites` inside one write transaction. */
export class CounterHandle implements CounterWrites {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess) {
    this.#access = access;
  }

  /** The one writer is the lock. */
  async lock() {
    this.#access.enter();
  }

  async sum(keys: readonly string[], span: CounterSpan) {
    this.#access.enter();
    return this.#access.tables.counters.sum(keys, span);
  }

  async hottest(prefix: string, span: CounterSpan) {
    this.#access.enter();
    return this.#access.tables.counters.hottest(prefix, span);
  }

  async add(...[key, start, end, amount]: Parameters<CounterWrites['add']>) {
    this.#access.change();
    this.#access.tables.counters.add(key, { start, end }, amount);
  }

  async trim(beforeMicros: number, limit: number) {
    this.#access.change();
    return this.#access.tables.counters.trim(beforeMicros, limit);
  }
}

/** `ObjectReferences` inside one write transaction. */
export class ObjectHandle implements ObjectReferences {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess) {
    this.#access = access;
  }

  async addReference(row: ObjectReference) {
    this.#access.change();
    this.#access.tables.objects.add(row);
  }

  async dropReferences(holder: string, at: number) {
    this.#access.change();
    this.#access.tables.objects.drop(holder, at);
  }

  async hasReference(namespace: string, sha256: string) {
    this.#access.enter();
    return this.#access.tables.objects.has(namespace, sha256);
  }

  async reserve(sha256: string, sizeBytes: number, at: number) {
    this.#access.change();
    return this.#access.tables.objects.reserve(sha256, sizeBytes, at);
  }

  async condemn(beforeMicros: number, at: number, limit: number) {
    this.#access.change();
    return this.#access.tables.objects.condemn(beforeMicros, at, limit);
  }

  async forget(sha256: string, at: number) {
    this.#access.change();
    this.#access.tables.objects.forget(sha256, at);
  }

  async heldBytes(holder: string) {
    this.#access.enter();
    return this.#access.tables.objects.heldBytes(holder);
  }

  async adopt(sha256: string, sizeBytes: number, at: number) {
    this.#access.change();
    this.#access.tables.objects.adopt(sha256, sizeBytes, at);
  }
}

/** `InstanceValues` inside one write transaction. */
export class InstanceHandle implements InstanceValues {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess) {
    this.#access = access;
  }

  async value(name: string) {
    this.#access.enter();
    return this.#access.tables.instance.value(name);
  }

  async setValue(name: string, value: string) {
    this.#access.change();
    this.#access.tables.instance.setValue(name, value);
  }

  async removeValue(name: string) {
    this.#access.change();
    this.#access.tables.instance.removeValue(name);
  }
}
