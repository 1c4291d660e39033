import {
  DESCRIBED_TABLES,
  type DescribedName,
  type DescribedReads,
  type DescribedWrites,
  type ExpiringTable,
  type KeyedTable,
  type LeaseTable,
  type QueueTable,
  type TableDescription,
} from '../../contracts/index.ts';

/** How the handles of one table are made; none for readers where a table is only ever read to be written. */
interface Handles<Access, WriteAccess> {
  readonly write: (access: WriteAccess) => unknown;
  readonly read?: (access: Access) => unknown;
}

/** How an engine implements each form of table. */
export interface Forms<Access, WriteAccess> {
  keyed(table: KeyedTable): Handles<Access, WriteAccess>;
  expiring(table: ExpiringTable): Handles<Access, WriteAccess>;
  lease(table: LeaseTable): Handles<Access, WriteAccess>;
  queue(table: QueueTable): Handles<Access, WriteAccess>;
}

const handlesOf = <Access, WriteAccess>(
  table: TableDescription,
  forms: Forms<Access, WriteAccess>,
): Handles<Access, WriteAccess> => {
  switch (table.form) {
    case 'keyed':
      return forms.keyed(table);
    case 'expiring':
      return forms.expiring(table);
    case 'lease':
      return forms.lease(table);
    case 'queue':
      return forms.queue(table);
  }
};

/** A class whose objects have the handle of each described table under its name, made when it is first asked for. */
const handlesByName = <Access, Handles>(
  names: readonly DescribedName[],
  make: (name: DescribedName, access: Access) => unknown,
): (new (
  access: Access,
) => Handles) => {
  class HandlesByName {
    readonly #access: Access;
    #made: Map<DescribedName, unknown> | undefined;

    constructor(access: Access) {
      this.#access = access;
    }

    made(name: DescribedName): unknown {
      this.#made ??= new Map();
      const known = this.#made.get(name);
      if (known !== undefined) return known;
      const handle = make(name, this.#access);
      this.#made.set(name, handle);
      return handle;
    }
  }
  for (const name of names)
    Object.defineProperty(HandlesByName.prototype, name, {
      get(this: HandlesByName) {
        return this.made(name);
      },
    });
  return HandlesByName as unknown as new (
    access: Access,
  ) => Handles;
};

/** Classes whose objects hold the described tables of a snapshot and of a write transaction, as this engine implements them. */
export const describedHandles = <Access, WriteAccess extends Access>(forms: Forms<Access, WriteAccess>) => {
  const names = Object.keys(DESCRIBED_TABLES) as DescribedName[];
  const handles = new Map(names.map((name) => [name, handlesOf(DESCRIBED_TABLES[name], forms)]));
  return {
    DescribedReadHandles: handlesByName<Access, DescribedReads>(
      names.filter((name) => handles.get(name)?.read !== undefined),
      (name, access) => handles.get(name)?.read?.(access),
    ),
    DescribedWriteHandles: handlesByName<WriteAccess, DescribedWrites>(names, (name, access) =>
      handles.get(name)?.write(access),
    ),
  };
};
