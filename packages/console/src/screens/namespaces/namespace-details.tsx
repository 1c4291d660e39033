import type { Namespace } from '@svc/api/resources';
import { Link } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import { useCan } from '../../access/access-context.ts';
import { aboveOf } from '../../access/grant-rules.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Facts } from '../../ui/facts.tsx';
import { TextArea } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { useTextDraft } from '../../ui/text-draft.ts';
import { Time } from '../../ui/time.tsx';
import { createdAt } from '../resources/index.ts';
import { labelLines, labelsOf } from './label-lines.ts';
import styles from './namespaces.module.css';
import { useHoldings, useLabels, useRemoveNamespace, useRestoreNamespace } from './namespaces-data.ts';
import { texts } from './texts.ts';

/** One namespace: what it holds, its labels, and its end. */
export const NamespaceDetails = ({ namespace }: { readonly namespace: Namespace }): ReactElement => {
  const { metadata, status, spec } = namespace;
  const name = metadata?.name ?? '';
  const isDeleted = status?.isDeleted === true;
  return (
    <div className={styles.details}>
      <Section
        title={name}
        actions={
          <div className={styles.actions}>
            <Actions namespace={namespace} />
            <CopyMenu command={`svc get namespace ${name}`} path={`/v1/namespaces/${encodeURIComponent(name)}`} />
          </div>
        }
      >
        <Facts
          rows={[
            [
              texts.phase,
              <Badge key="phase" tone={isDeleted ? 'bad' : 'good'}>
                {isDeleted ? texts.deleted : texts.alive}
              </Badge>,
            ],
            [texts.parent, spec?.parent],
            [texts.createdAt, <Time key="created" at={createdAt(metadata?.uid)} />],
            [texts.deletedAt, isDeleted ? <Time key="deleted" at={status?.deletedAt} /> : undefined],
          ]}
        />
      </Section>
      {!isDeleted && <Holdings name={name} />}
      {!isDeleted && <Labels namespace={namespace} />}
    </div>
  );
};

const Actions = ({ namespace }: { readonly namespace: Namespace }): ReactElement | null => {
  const name = namespace.metadata?.name ?? '';
  const [asks, setAsks] = useState<'remove' | 'purge'>();
  const remove = useRemoveNamespace(name);
  const restore = useRestoreNamespace(namespace);
  const mayChange = useCan()('admin', aboveOf(name));
  if (!mayChange) return null;
  const error = remove.error ?? restore.error;
  return (
    <>
      {namespace.status?.isDeleted ? (
        <Button icon="retry" isBusy={restore.isPending} onClick={() => restore.mutate()}>
          {texts.restore}
        </Button>
      ) : (
        <Button icon="trash" kind="danger" isBusy={remove.isPending} onClick={() => setAsks('remove')}>
          {texts.remove}
        </Button>
      )}
      <Button kind="danger" isBusy={remove.isPending} onClick={() => setAsks('purge')}>
        {texts.purge}
      </Button>
      {error && <Problem error={error} />}
      {asks === 'remove' && (
        <Confirm
          title={texts.removeTitle(name)}
          action={texts.remove}
          onConfirm={() => remove.mutate({ purge: false })}
          onClose={() => setAsks(undefined)}
        >
          {texts.removeLead}
        </Confirm>
      )}
      {asks === 'purge' && (
        <Confirm
          title={texts.purgeTitle(name)}
          action={texts.purge}
          typed={name}
          onConfirm={() => remove.mutate({ purge: true })}
          onClose={() => setAsks(undefined)}
        >
          {texts.purgeLead}
        </Confirm>
      )}
    </>
  );
};

const Holdings = ({ name }: { readonly name: string }): ReactElement => {
  const found = useHoldings(name);
  return (
    <Section title={texts.holds}>
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Loading />}
      {found.data?.length === 0 && <p className={styles.soft}>{texts.empty}</p>}
      <ul className={styles.holdings}>
        {found.data?.map(([kind, count]) => (
          <li key={kind}>
            <Link to="/ns/$ns/resources/$kind" params={{ ns: name, kind }}>
              {kind}
            </Link>
            <span>{count}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
};

const Labels = ({ namespace }: { readonly namespace: Namespace }): ReactElement => {
  const version = namespace.metadata?.resourceVersion ?? '';
  const stored = labelLines(namespace.metadata?.labels ?? {});
  const { draft, setText, discard } = useTextDraft({ text: stored, version });
  const write = useLabels(namespace);
  const labels = labelsOf(draft?.text ?? stored);
  const mayChange = useCan()('admin', aboveOf(namespace.metadata?.name ?? ''));
  if (!mayChange)
    return <Section title={texts.labels}>{<Facts rows={Object.entries(namespace.metadata?.labels ?? {})} />}</Section>;
  return (
    <Section title={texts.labels}>
      <TextArea
        label={texts.labels}
        hint={texts.labelsHint}
        isLabelHidden
        problem={labels === undefined ? texts.labelProblem : undefined}
        value={draft?.text ?? stored}
        onChange={setText}
        rows={3}
      />
      {draft !== undefined && draft.version !== version && <p role="status">{texts.staleLabels}</p>}
      {write.error && <Problem error={write.error} />}
      {draft !== undefined && (
        <div className={styles.actions}>
          <Button onClick={discard}>{texts.cancel}</Button>
          <Button
            kind="primary"
            isBusy={write.isPending}
            disabled={labels === undefined}
            disabledReason={texts.labelProblem}
            onClick={() => labels && write.mutate({ labels, version: draft.version }, { onSuccess: discard })}
          >
            {texts.save}
          </Button>
        </div>
      )}
    </Section>
  );
};
