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
import { useResources } from '../resources/index.ts';
import { SecretDetails } from './secret-details.tsx';
import { texts } from './texts.ts';

/** The secrets of a namespace by name, and the keys of the one that is chosen. */
export const SecretsPage = (): ReactElement => {
  const { ns = EVERYWHERE } = useParams({ strict: false });
  const { secret = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const found = useResources('Secret', ns);
  const mayWrite = useCan()('admin', ns === EVERYWHERE ? {} : { ns });
  const create = (): void =>
    void navigate({ to: '/ns/$ns/new/$kind', params: { ns: ns === EVERYWHERE ? 'default' : ns, kind: 'Secret' } });
  useKey({ keys: 'c', does: texts.create, run: create }, mayWrite);
  const secrets = found.data?.pages.flatMap(({ resources }) => resources) ?? [];
  const chosen = secrets.find((each) => placeOf(each, ns) === secret);
  const open = (next: string | undefined): void =>
    void navigate({ to: '.', search: (before) => ({ ...before, secret: next }) });
  return (
    <Page
      title={texts.title}
      isFilled
      actions={
        <>
          {mayWrite && (
            <Button kind="primary" icon="plus" shortcut="c" onClick={create}>
              {texts.create}
            </Button>
          )}
          <CopyMenu command={`svc secret list -n ${ns}`} path={`/v1/ns/${ns}/resources?kind=Secret`} />
        </>
      }
    >
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Loading />}
      {found.isSuccess && secrets.length === 0 && (
        <Empty icon="key" title={texts.none}>
          <p>{texts.howToGet}</p>
        </Empty>
      )}
      {secrets.length > 0 && (
        <Split
          list={
            <>
              <PathTree
                label={texts.title}
                paths={secrets.map((each) => placeOf(each, ns))}
                open={secret}
                onOpen={open}
              />
              {found.hasNextPage && <Button onClick={() => void found.fetchNextPage()}>{texts.more}</Button>}
            </>
          }
        >
          {chosen === undefined ? (
            <p>{texts.choose}</p>
          ) : (
            <SecretDetails key={chosen.metadata?.uid} secret={chosen} onGone={() => open(undefined)} />
          )}
        </Split>
      )}
    </Page>
  );
};

/** The name, with the namespace as its folder where several are shown. */
const placeOf = ({ metadata }: Resource, ns: string): string =>
  ns === EVERYWHERE ? `${metadata?.namespace}/${metadata?.name}` : (metadata?.name ?? '');
