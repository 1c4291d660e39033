import { confirm } from '../confirm.ts';
import type { GlobalOptions } from '../connection.ts';
import { openContext } from '../context.ts';
import type { Host } from '../host.ts';

export interface ForgetOptions extends GlobalOptions {
  readonly yes?: boolean;
}

/** `svc memory forget IDENTITY`: removes everything that belongs to an identity in the namespace, once it is confirmed. */
export const forgetMemory = async (host: Host, identity: string, options: ForgetOptions): Promise<void> => {
  const { client, target } = await openContext(host, options);
  const ns = target.namespace;
  await confirm(host, {
    text: `remove everything that belongs to ${identity} in namespace ${ns}?`,
    isAgreed: options.yes === true,
    refusal: 'nothing was removed',
  });
  const { removed } = await client.files.forgetMemory({ ns, identity });
  host.stdout.write(`${removed} ${removed === 1 ? 'file' : 'files'} of ${identity} removed\n`);
};
