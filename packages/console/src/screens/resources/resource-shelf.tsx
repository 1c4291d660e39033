import type { Resource } from '@svc/api/resources';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { useCan } from '../../access/access-context.ts';
import { EVERYWHERE } from '../../app/scope.ts';
import { useKey } from '../../keys/use-keys.ts';
import { Button } from '../../ui/button.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Listing } from '../../ui/listing.tsx';
import { Page } from '../../ui/page.tsx';
import { PathTree } from '../../ui/path-tree.tsx';
import { Split } from '../../ui/split.tsx';
import { useResources } from './resource-data.ts';

interface ShelfProps {
  readonly kind: string;
  readonly title: string;
  /** Text of the button that makes another one; the key `c` does the same. */
  readonly create: string;
  /** What is said where there is none. */
  readonly empty: ReactNode;
  /** What is said until one is chosen. */
  readonly choose: string;
  /** Text of the button that loads further ones. */
  readonly more: string;
  /** Command that lists them, without the namespace. */
  readonly command: string;
  /** Which one the address names, as the tree writes it. */
  readonly chosen: string;
  readonly onChoose: (place: string | undefined) => void;
  /** The one that is chosen; draw it with a key, so that nothing of the former one stays. */
  readonly show: (resource: Resource) => ReactNode;
}

/** Resources of a kind by name on the left, and the one that is chosen next to them. */
export const ResourceShelf = (props: ShelfProps): ReactElement => {
  const { kind, title, chosen, onChoose } = props;
  const { ns = EVERYWHERE } = useParams({ strict: false });
  const navigate = useNavigate();
  const found = useResources(kind, ns);
  const mayWrite = useCan()('admin', ns === EVERYWHERE ? {} : { ns });
  const create = (): void =>
    void navigate({ to: '/ns/$ns/new/$kind', params: { ns: ns === EVERYWHERE ? 'default' : ns, kind } });
  useKey({ keys: 'c', does: props.create, run: create }, mayWrite);
  const resources = found.data?.pages.flatMap((page) => page.resources) ?? [];
  const shown = resources.find((each) => placeOf(each, ns) === chosen);
  return (
    <Page
      title={title}
      isFilled
      actions={
        <>
          {mayWrite && (
            <Button kind="primary" icon="plus" shortcut="c" onClick={create}>
              {props.create}
            </Button>
          )}
          <CopyMenu command={`${props.command} -n ${ns}`} path={`/v1/ns/${ns}/resources?kind=${kind}`} />
        </>
      }
    >
      <Listing found={found} count={resources.length} empty={props.empty}>
        <Split
          list={
            <>
              <PathTree
                label={title}
                paths={resources.map((each) => placeOf(each, ns))}
                open={chosen}
                onOpen={onChoose}
              />
              {found.hasNextPage && <Button onClick={() => void found.fetchNextPage()}>{props.more}</Button>}
            </>
          }
        >
          {shown === undefined ? <p>{props.choose}</p> : props.show(shown)}
        </Split>
      </Listing>
    </Page>
  );
};

/** The name, with the namespace as its folder where several are shown. */
const placeOf = ({ metadata }: Resource, ns: string): string =>
  ns === EVERYWHERE ? `${metadata?.namespace}/${metadata?.name}` : (metadata?.name ?? '');
