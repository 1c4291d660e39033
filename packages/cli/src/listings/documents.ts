import type { JsonObject } from '@bufbuild/protobuf';
import type { GlobalOptions } from '../connection.ts';
import { openPlain } from '../context.ts';
import type { Host } from '../host.ts';
import { mapOf, textOf } from '../json-value.ts';
import { listItems } from '../kinds/index.ts';
import { outputForm, printList, resourceList } from '../output.ts';
import { renderTable, sizeText } from '../terminal/index.ts';

/** `svc knowledge list [PREFIX]`: documents of the namespace by path, all of them. */
export const listKnowledge = async (host: Host, prefix: string | undefined, options: GlobalOptions): Promise<void> => {
  const form = outputForm(options.output);
  const { call, target, note } = await openPlain(host, options);
  const all = { call, limit: Number.POSITIVE_INFINITY };
  const request = { ns: target.namespace, member: 'knowledge' };
  const documents = await listItems(all, 'GatewayService/ListNamespaceKnowledge', request);
  const below = prefix?.replace(/^\/+|\/+$/g, '');
  const found = documents
    .filter((document) => below === undefined || `${pathOf(document)}/`.startsWith(`${below}/`))
    .toSorted((left, right) => (pathOf(left) < pathOf(right) ? -1 : 1));
  if (form.form !== 'table' && form.form !== 'wide') {
    const items = found.map((document) => ({ apiVersion: 'svc/v1', kind: 'Knowledge', ...document }));
    return printList(host, resourceList(items), form);
  }
  if (found.length === 0)
    return note(`no knowledge${below === undefined ? '' : ` below ${below}`} in namespace ${target.namespace}`);
  const rows = found.map((document) => {
    const { content } = mapOf(document['spec']);
    const size = sizeText(Buffer.byteLength(textOf(content)));
    return [pathOf(document), size, textOf(mapOf(document['metadata'])['name'])];
  });
  const columns = host.stdout.isTerminal ? host.stdout.columns : undefined;
  host.stdout.write(renderTable(['PATH', 'SIZE', 'NAME'], rows, columns));
};

const pathOf = ({ spec }: JsonObject): string => textOf(mapOf(spec)['path']);
