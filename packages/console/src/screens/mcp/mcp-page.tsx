import type { Resource } from '@svc/api/resources';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useCan } from '../../access/access-context.ts';
import { EVERYWHERE } from '../../app/scope.ts';
import { useKey } from '../../keys/use-keys.ts';
import { Button } from '../../ui/button.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { PathTree } from '../../ui/path-tree.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Split } from '../../ui/split.tsx';
import { addressOfResource, useEveryResource } from '../resources/index.ts';
import { McpDetails } from './mcp-details.tsx';
import { texts } from './texts.ts';

/** The MCP servers and bindings of a namespace, and the one that is chosen. */
export const McpPage = (): ReactElement => {
  const { ns = EVERYWHERE } = useParams({ strict: false });
  const { server = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const lists = [useEveryResource('McpServer', ns), useEveryResource('McpServerBinding', ns)];
  const all = lists.flatMap(({ data }) => data ?? []);
  const error = lists.find((list) => list.error !== null)?.error;
  const mayWrite = useCan()('admin', ns === EVERYWHERE ? {} : { ns });
  const create = (kind: string): void =>
    void navigate({ to: '/ns/$ns/new/$kind', params: { ns: ns === EVERYWHERE ? 'default' : ns, kind } });
  useKey({ keys: 'c', does: texts.create, run: () => create('McpServer') }, mayWrite);
  const open = (next: string | undefined): void =>
    void navigate({ to: '.', search: (before) => ({ ...before, server: next }) });
  const chosen = all.find((each) => placeOf(each, ns) === server);
  return (
    <Page
      title={texts.title}
      isFilled
      actions={
        <>
          {mayWrite && <Button onClick={() => create('McpServerBinding')}>{texts.createBinding}</Button>}
          {mayWrite && (
            <Button kind="primary" icon="plus" shortcut="c" onClick={() => create('McpServer')}>
              {texts.create}
            </Button>
          )}
          <CopyMenu command={`svc get mcpservers -n ${ns}`} path={`/v1/ns/${ns}/resources?kind=McpServer`} />
        </>
      }
    >
      {error && <Problem error={error} onRetry={() => void Promise.all(lists.map((list) => list.refetch()))} />}
      {lists.some(({ isPending }) => isPending) && <Loading />}
      {lists.every(({ isSuccess }) => isSuccess) && all.length === 0 && (
        <Empty icon="tools" title={texts.none}>
          <p>{texts.howToGet}</p>
        </Empty>
      )}
      {all.length > 0 && (
        <Split
          list={
            <PathTree label={texts.title} paths={all.map((each) => placeOf(each, ns))} open={server} onOpen={open} />
          }
        >
          {chosen === undefined ? (
            <p>{texts.choose}</p>
          ) : (
            <McpDetails key={chosen.metadata?.uid} resource={chosen} onGone={() => open(undefined)} />
          )}
        </Split>
      )}
    </Page>
  );
};

/** Servers and bindings in a folder each, below their namespace where several are shown. */
const placeOf = (resource: Resource, ns: string): string => {
  const { kind, ns: own, name } = addressOfResource(resource);
  const folder = kind === 'McpServer' ? texts.server : texts.binding;
  return ns === EVERYWHERE ? `${own}/${folder}/${name}` : `${folder}/${name}`;
};
