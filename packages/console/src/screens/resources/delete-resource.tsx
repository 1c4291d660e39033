import { DeletePropagation } from '@svc/api/gateway';
import { findKindFacts } from '@svc/api/kinds';
import type { Resource } from '@svc/api/resources';
import { type ReactElement, useState } from 'react';
import { useCan } from '../../access/access-context.ts';
import { writtenIn } from '../../access/grant-rules.ts';
import { useRead, useWrite } from '../../api/use-call.ts';
import { useKey } from '../../keys/use-keys.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { notify } from '../../ui/notices.tsx';
import { Problem } from '../../ui/problem.tsx';
import { dependentsOf } from './dependents.ts';
import { addressOfResource, addressText, type ResourceAddress } from './resource-data.ts';
import styles from './resources.module.css';
import { texts } from './texts.ts';

const PROPAGATIONS = {
  background: DeletePropagation.BACKGROUND,
  foreground: DeletePropagation.FOREGROUND,
  orphan: DeletePropagation.ORPHAN,
} as const;
type Propagation = keyof typeof PROPAGATIONS;

interface DeleteResourceProps {
  readonly address: ResourceAddress;
  readonly resource: Resource;
  readonly onDeleted: () => void;
}

/** A button that deletes a resource, after showing what depends on it. */
export const DeleteResource = (props: DeleteResourceProps): ReactElement | null => {
  const { address, onDeleted } = props;
  const [isAsking, setIsAsking] = useState(false);
  const [propagation, setPropagation] = useState<Propagation>('background');
  const mayDelete =
    useCan()('admin', writtenIn(address)) && findKindFacts(address.kind)?.writers.resourceService !== 'none';
  const remove = useWrite(
    (client) => client.resources.deleteResource({ ...address, propagation: PROPAGATIONS[propagation] }),
    {
      changes: { kinds: [address.kind] },
      onDone: ({ pending }) => {
        notify(pending ? texts.pending(address.name) : texts.deleted(address.name));
        if (!pending) onDeleted();
      },
    },
  );
  useKey({ keys: '#', does: texts.delete, run: () => setIsAsking(true) }, mayDelete);
  if (!mayDelete) return null;
  return (
    <>
      <Button icon="trash" kind="danger" shortcut="#" isBusy={remove.isPending} onClick={() => setIsAsking(true)}>
        {texts.delete}
      </Button>
      {remove.error && <Problem error={remove.error} />}
      {isAsking && (
        <Confirm
          title={texts.deleteTitle(address.kind, address.name)}
          action={texts.delete}
          onConfirm={() => remove.mutate(undefined)}
          onClose={() => setIsAsking(false)}
        >
          <Dependents {...props} propagation={propagation} onPropagation={setPropagation} />
        </Confirm>
      )}
    </>
  );
};

interface DependentsProps extends DeleteResourceProps {
  readonly propagation: Propagation;
  readonly onPropagation: (propagation: Propagation) => void;
}

const SHOWN = 12;

const Dependents = ({ address, resource, propagation, onPropagation }: DependentsProps): ReactElement => {
  const { ns } = address;
  const uid = resource.metadata?.uid ?? '';
  const found = useRead({
    key: ['dependents', ns, uid],
    call: (client, signal) => dependentsOf(client, { ns, uid }, signal),
  });
  if (found.error) return <Problem error={found.error} />;
  if (found.data === undefined) return <Loading />;
  if (found.data.length === 0) return <p>{texts.noDependents}</p>;
  const rest = found.data.length - SHOWN;
  return (
    <div className={styles.stack}>
      <p>{texts.dependents}</p>
      <ul>
        {found.data.slice(0, SHOWN).map((each) => (
          <li key={addressText(addressOfResource(each))}>
            {each.kind} {each.metadata?.namespace}/{each.metadata?.name}
          </li>
        ))}
        {rest > 0 && <li>{texts.andMore(rest)}</li>}
      </ul>
      <SelectField
        label={texts.propagation}
        value={propagation}
        options={(Object.keys(PROPAGATIONS) as Propagation[]).map((value) => ({
          value,
          label: texts.propagations[value],
        }))}
        onChange={onPropagation}
      />
    </div>
  );
};
