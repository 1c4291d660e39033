import type { ReactElement } from 'react';
import { useCan } from '../../access/access-context.ts';
import type { PanelProps } from '../../app/panels/panel-table.ts';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Section } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { useWorkerClaims } from './claims-data.ts';
import { ClaimsView } from './claims-view.tsx';
import { texts } from './texts.ts';
import styles from './workers.module.css';

/** One worker and what it holds; its key is the name. */
export const WorkerPanel = ({ panelKey }: PanelProps): ReactElement => {
  const mayList = useCan()('admin', { isEverywhere: true });
  return (
    <div className={styles.panel}>
      <h2>{panelKey}</h2>
      <Section title={texts.claims} actions={mayList && <CopyClaims name={panelKey} />}>
        {mayList ? <Claims name={panelKey} /> : <p>{texts.claimsNeed}</p>}
      </Section>
    </div>
  );
};

const CopyClaims = ({ name }: { readonly name: string }): ReactElement => (
  <CopyMenu command={`svc worker claims ${name}`} path={`/v1/admin/workers/${encodeURIComponent(name)}/claims`} />
);

const Claims = ({ name }: { readonly name: string }): ReactElement => {
  const found = useWorkerClaims(name);
  return (
    <>
      {found.isPending && <Loading />}
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.data && <ClaimsView claims={found.data} />}
    </>
  );
};
