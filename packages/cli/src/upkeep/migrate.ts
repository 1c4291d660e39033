import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { outputForm, printValue } from '../output.ts';
import { renderTable } from '../terminal/index.ts';
import { explained, openLocalStore, type StoreOptions } from './local-store.ts';

export interface MigrateOptions extends StoreOptions {
  /** `--to` of `down`. */
  readonly to?: string;
  readonly yes?: boolean;
}

/** `svc migrate status/up/down` of a store that no server uses. */
export const migrate = async (
  host: Host,
  direction: 'status' | 'up' | 'down',
  options: MigrateOptions,
): Promise<void> => {
  const { server, upkeep } = await openLocalStore(host, options);
  const { moved, status } = await explained(server, () => upkeep.moveSchema(moveOf(direction, options)));
  const [pending, undoable] = [status.pending, status.undoable].map((steps) => steps.map(({ version }) => version));
  const form = outputForm(options.output);
  if (form.form !== 'table' && form.form !== 'wide') {
    const steps = moved.map(({ version, name }) => ({ version, name }));
    return printValue(host, { schema: status.applied, known: status.known, pending, undoable, moved: steps }, form);
  }
  for (const { version, name } of moved)
    host.stdout.write(`${direction === 'up' ? 'applied' : 'undone '}  ${version}  ${name}\n`);
  if (direction !== 'status' && moved.length === 0) host.stdout.write('nothing to do\n');
  const cells = [String(status.applied), String(status.known), listed(pending), listed(undoable)];
  host.stdout.write(renderTable(['SCHEMA', 'KNOWN', 'PENDING', 'CAN BE UNDONE'], [cells], undefined));
};

const listed = (versions: readonly number[] | undefined): string => versions?.join(', ') || '-';

const moveOf = (direction: 'status' | 'up' | 'down', { to, yes }: MigrateOptions) => {
  if (direction === 'status') return { to: 'status' } as const;
  if (direction === 'up') return { to: 'up', isAgreed: yes === true } as const;
  if (to === undefined) return { to: 'down' } as const;
  if (!/^\d{1,6}$/.test(to))
    throw new CommandFailure(`--to ${to} is not the number of a schema`, { hint: 'svc migrate status' });
  return { to: 'down', target: Number(to) } as const;
};
