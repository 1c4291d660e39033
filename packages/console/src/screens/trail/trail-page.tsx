import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import { useAccess } from '../../access/access-context.ts';
import { useRead } from '../../api/use-call.ts';
import { EVERYWHERE, useScope } from '../../app/scope.ts';
import { Button } from '../../ui/button.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Empty } from '../../ui/empty.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { texts } from './texts.ts';
import styles from './trail.module.css';
import { TrailStory } from './trail-story.tsx';

/** Everything that a record caused and was caused by. */
export const TrailPage = (): ReactElement => {
  const scope = useScope();
  const { id = '', ns = scope === EVERYWHERE ? 'default' : scope } = useSearch({ from: '/trail' });
  const trail = useRead({
    key: ['GetMessageTrail', ns, id],
    call: (client, signal) => client.trails.getMessageTrail({ ns, id }, { signal }),
    shows: { topics: ['turn', 'message', 'delivery', 'run', 'channel'], kinds: ['Task'] },
    enabled: id !== '',
  });
  return (
    <Page
      title={texts.title}
      filters={<Asked key={`${ns} ${id}`} ns={ns} id={id} onAgain={() => void trail.refetch()} />}
      actions={
        id !== '' && (
          <CopyMenu command={`svc trail ${id} -n ${ns}`} path={`/v1/ns/${ns}/trails/${encodeURIComponent(id)}`} />
        )
      }
    >
      {id === '' && (
        <Empty icon="trail" title={texts.empty}>
          <p>{texts.emptyLead}</p>
          <code>svc trail ID</code>
        </Empty>
      )}
      {trail.isLoading && <Loading />}
      {trail.error && <Problem error={trail.error} onRetry={() => void trail.refetch()} />}
      {id !== '' && trail.data && !trail.error && (
        <>
          {trail.data.truncated && <p className={styles.note}>{texts.truncated}</p>}
          {trail.data.entries.length === 0 ? (
            <Empty icon="trail" title={texts.none} />
          ) : (
            <TrailStory entries={trail.data.entries} asked={id} />
          )}
        </>
      )}
    </Page>
  );
};

interface AskedProps {
  readonly ns: string;
  readonly id: string;
  /** The same trail is asked for once more. */
  readonly onAgain: () => void;
}

const Asked = ({ ns, id, onAgain }: AskedProps): ReactElement => {
  const { namespaces } = useAccess();
  const navigate = useNavigate();
  const [text, setText] = useState(id);
  const [place, setPlace] = useState(ns);
  const names = [...new Set([place, ...namespaces.rows.map(({ name }) => name)])];
  return (
    <form
      className={styles.asked}
      onSubmit={(event) => {
        event.preventDefault();
        if (place === ns && text.trim() === id) onAgain();
        else void navigate({ to: '/trail', search: { ns: place, id: text.trim() } });
      }}
    >
      <SelectField
        label={texts.namespace}
        value={place}
        options={names.map((name) => ({ value: name, label: name }))}
        onChange={setPlace}
      />
      <TextField label={texts.id} placeholder={texts.idHint} value={text} onChange={setText} />
      <Button type="submit" icon="search" disabled={text.trim() === ''} disabledReason={texts.idMissing}>
        {texts.show}
      </Button>
    </form>
  );
};
