import { confirm } from '../confirm.ts';
import type { GlobalOptions } from '../connection.ts';
import { openPlain } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { mapOf, textOf } from '../json-value.ts';

export interface PurgeOptions extends GlobalOptions {
  readonly yes?: boolean;
}

/** `svc namespace restore NAME`: restores a deleted namespace and what was deleted with it, within the grace period. */
export const restoreNamespace = async (host: Host, name: string, options: GlobalOptions): Promise<void> => {
  const { call } = await openPlain(host, options);
  const { namespace } = await call('GatewayService/GetNamespace', { name });
  const { metadata, spec, status } = mapOf(namespace);
  if (mapOf(status)['isDeleted'] !== true)
    throw new CommandFailure(`namespace ${name} is not deleted`, { hint: `\`svc get namespace ${name}\` shows it` });
  // Creating replaces the labels and merges the annotations, so the existing ones are passed along.
  const { labels, annotations } = mapOf(metadata);
  const own = Object.fromEntries(Object.entries(mapOf(annotations)).filter(([key]) => !key.startsWith('svc/')));
  const request = { name, labels: mapOf(labels), annotations: own, parent: textOf(mapOf(spec)['parent']) };
  await call('GatewayService/CreateNamespace', request);
  host.stdout.write(`namespace/${name} restored\n`);
};

/** `svc namespace purge NAME`: removes a namespace and its contents at once; asks for the name unless --yes. */
export const purgeNamespace = async (host: Host, name: string, options: PurgeOptions): Promise<void> => {
  const { call, note } = await openPlain(host, options);
  // Do not ask for confirmation of a name that does not exist.
  await call('GatewayService/GetNamespace', { name });
  await confirm(host, {
    text: `everything in ${name} and below it goes for good; type its name to continue:`,
    isAgreed: options.yes === true,
    refusal: 'nothing was deleted',
    word: name,
  });
  await call('GatewayService/DeleteNamespace', { name, purge: true });
  host.stdout.write(`namespace/${name} is being purged\n`);
  note(`\`svc wait namespace ${name} --for delete\` waits for the end`);
};
