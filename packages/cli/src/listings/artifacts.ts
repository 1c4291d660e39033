import type { GlobalOptions } from '../connection.ts';
import { listUpTo, openPlain, type ScopeOptions } from '../context.ts';
import type { Host } from '../host.ts';
import { mapOf, msOf, textOf } from '../json-value.ts';
import { findSession, listItems } from '../kinds/index.ts';
import { outputForm, printList } from '../output.ts';
import { age, renderTable, sizeText } from '../terminal/index.ts';

/** `svc artifact list SESSION`: what agents made in a session, newest first. */
export const listArtifacts = async (
  host: Host,
  session: string,
  options: GlobalOptions & ScopeOptions,
): Promise<void> => {
  const form = outputForm(options.output);
  const context = await openPlain(host, options);
  const key = await findSession(context.scope, session);
  const artifacts = await listUpTo(context, context.limit, (limit) =>
    listItems({ call: context.call, limit }, 'FileService/ListArtifacts', { ...key, member: 'artifacts' }),
  );
  if (form.form !== 'table' && form.form !== 'wide') return printList(host, { items: artifacts }, form);
  if (artifacts.length === 0) return context.note(`no artifacts in session ${key.sessionId}`);
  const rows = artifacts.map(({ id, title, objectRef, mediaType, createdAt }) => [
    textOf(id),
    textOf(title) || '-',
    sizeText(Number(textOf(mapOf(objectRef)['sizeBytes']))),
    textOf(mediaType) || '-',
    age(msOf(createdAt), host.nowMs()),
  ]);
  const columns = host.stdout.isTerminal ? host.stdout.columns : undefined;
  host.stdout.write(renderTable(['ID', 'TITLE', 'SIZE', 'TYPE', 'AGE'], rows, columns));
};
