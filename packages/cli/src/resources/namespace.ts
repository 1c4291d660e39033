import { confirm } from '../confirm.ts';
import type { GlobalOptions } from '../connection.ts';
import { openContext } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import type { World } from '../world.ts';

export interface PurgeOptions extends GlobalOptions {
  readonly yes?: boolean;
}

/** `svc namespace restore NAME`: a deleted namespace and what was deleted with it, within the grace period. */
export const restoreNamespace = async (world: World, name: string, options: GlobalOptions): Promise<void> => {
  const { client } = await openContext(world, options);
  const { namespace } = await client.gateway.getNamespace({ name });
  if (namespace?.status?.isDeleted !== true)
    throw new CommandFailure(`namespace ${name} is not deleted`, { hint: `\`svc get namespace ${name}\` shows it` });
  // Creating replaces the labels and merges the annotations, so the ones it had go along.
  const { labels = {}, annotations = {} } = namespace.metadata ?? {};
  const own = Object.fromEntries(Object.entries(annotations).filter(([key]) => !key.startsWith('svc/')));
  await client.gateway.createNamespace({ name, labels, annotations: own, parent: namespace.spec?.parent ?? '' });
  world.stdout.write(`namespace/${name} restored\n`);
};

/** `svc namespace purge NAME`: removes a namespace and its contents at once; asks for the name unless --yes. */
export const purgeNamespace = async (world: World, name: string, options: PurgeOptions): Promise<void> => {
  const { client, note } = await openContext(world, options);
  const { namespace } = await client.gateway.getNamespace({ name });
  if (namespace === undefined)
    throw new CommandFailure(`there is no namespace ${name}`, { exitCode: exitCodes.notFound });
  await confirm(world, {
    text: `everything in ${name} and below it goes for good; type its name to go on:`,
    ...{ isAgreed: options.yes === true, refusal: 'nothing is deleted', word: name },
  });
  await client.gateway.deleteNamespace({ name, purge: true });
  world.stdout.write(`namespace/${name} is being purged\n`);
  note(`\`svc wait namespace ${name} --for delete\` waits for the end`);
};
