import type { Resource } from '@svc/api/resources';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type ReactElement, useEffect, useState } from 'react';
import { useCan } from '../../access/access-context.ts';
import { usePanels } from '../../app/panels/use-panels.ts';
import { useKey } from '../../keys/use-keys.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { DiffView } from '../../ui/diff-view.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Segments } from '../../ui/segments.tsx';
import { phaseOf, toneOfPhase, writtenYamlOf } from '../resources/index.ts';
import { useDefinition } from './definition/index.ts';
import { FlowEditor } from './flow-editor.tsx';
import { RunList } from './run-list.tsx';
import { failedConditions } from './step-problems.ts';
import { texts } from './texts.ts';
import { useWorkflow } from './workflow-data.ts';
import styles from './workflows.module.css';

/** One workflow: its definition as graph and text, and its runs. */
export const WorkflowPage = (): ReactElement => {
  const { ns = '', name = '' } = useParams({ strict: false });
  const { tab = 'definition' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const can = useCan();
  const { open } = usePanels();
  const found = useWorkflow(ns, name);
  const mayRun = can('operator', { ns });
  const run = (): void => open({ type: 'workflow-run', key: `${ns}/${name}` });
  useKey({ keys: 'x', does: texts.runWorkflow, run }, mayRun);
  const resource = found.data;
  const phase = resource === undefined ? '' : phaseOf(resource);
  return (
    <Page
      title={name}
      isFilled
      above={
        <Link to="/ns/$ns/workflows" params={{ ns }}>
          {texts.title}
        </Link>
      }
      badge={phase !== '' && <Badge tone={toneOfPhase(phase)}>{phase}</Badge>}
      actions={
        <>
          <CopyMenu
            command={`svc get workflow ${name} -n ${ns} -o yaml`}
            path={`/v1/ns/${ns}/resources/Workflow/${name}`}
            yaml={resource && (() => writtenYamlOf(resource))}
          />
          {mayRun && (
            <Button kind="primary" icon="play" onClick={run} shortcut="x">
              {texts.run}
            </Button>
          )}
        </>
      }
      filters={
        <Segments
          label={texts.view}
          value={tab}
          options={[
            { value: 'definition', label: texts.definition },
            { value: 'runs', label: texts.runs },
          ]}
          onChange={(next) =>
            void navigate({ to: '.', search: (before) => ({ ...before, tab: next === 'runs' ? next : undefined }) })
          }
        />
      }
    >
      {found.error && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Loading />}
      {tab === 'runs' && <RunList ns={ns} workflow={name} />}
      {resource !== undefined && (
        // Hidden instead of gone, so that what was written stays while the runs are shown.
        <div className={tab === 'runs' ? styles.hidden : styles.definition}>
          <LoadedDefinition key={resource.metadata?.uid} resource={resource} mayWrite={can('admin', { ns })} />
        </div>
      )}
    </Page>
  );
};

interface LoadedProps {
  readonly resource: Resource;
  readonly mayWrite: boolean;
}

interface Loaded {
  readonly text: string;
  readonly generation: bigint;
  readonly version: string;
}

const loadedOf = (resource: Resource | undefined, text: string): Loaded => {
  const { generation = 0n, resourceVersion = '' } = resource?.metadata ?? {};
  return { text, generation, version: resourceVersion };
};

/** Waits for the text of the resource, once. */
const LoadedDefinition = ({ resource, mayWrite }: LoadedProps): ReactElement => {
  const [stored, setStored] = useState<Loaded>();
  const [edition, setEdition] = useState(0);
  const generation = resource.metadata?.generation ?? 0n;
  const load = async (from: Resource): Promise<void> => setStored(loadedOf(from, await writtenYamlOf(from)));
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the first one is loaded; later ones are announced
  useEffect(() => {
    void load(resource);
  }, []);
  if (stored === undefined) return <Loading />;
  const isNewer = generation > stored.generation;
  // The version also changes with the status, which the text does not hold.
  const version = (generation === stored.generation && resource.metadata?.resourceVersion) || stored.version;
  return (
    <DefinitionEditor
      key={edition}
      resource={resource}
      mayWrite={mayWrite}
      before={stored.text}
      onSaved={(saved, text) => setStored(loadedOf(saved, text))}
      version={version}
      onLoadNewer={
        isNewer
          ? async () => {
              await load(resource);
              setEdition(edition + 1);
            }
          : undefined
      }
    />
  );
};

interface EditorProps extends LoadedProps {
  readonly before: string;
  readonly onSaved: (saved: Resource | undefined, text: string) => void;
  /** Version that must still be stored when the text is saved. */
  readonly version: string;
  /** Set when the stored one is newer than the text. */
  readonly onLoadNewer: (() => void) | undefined;
}

const DefinitionEditor = (props: EditorProps): ReactElement => {
  const { resource, mayWrite, before, version, onSaved, onLoadNewer } = props;
  const { step } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [isDiffShown, setIsDiffShown] = useState(false);
  const ns = resource.metadata?.namespace ?? '';
  const definition = useDefinition(before, {
    ns,
    before,
    stored: resource,
    version,
    isNewer: onLoadNewer !== undefined,
    onSaved,
  });
  const { text, setText, flow, looks, problems, obstacle, isSaving, error, save } = definition;
  const isChanged = text !== before;
  useKey({ keys: 'mod+s', does: texts.save, run: save }, mayWrite && obstacle === undefined);
  const conditions = isChanged ? [] : failedConditions(resource);
  return (
    <>
      {conditions.map(({ reason, message }) => (
        <p key={reason} className={styles.notice}>
          {message}
        </p>
      ))}
      {onLoadNewer && (
        <p className={styles.notice} role="status">
          {texts.isNewer}
          <Button onClick={onLoadNewer}>{texts.loadNewer}</Button>
        </p>
      )}
      {error && <Problem error={error} />}
      {isDiffShown && (
        <div className={styles.diff}>
          <DiffView label={texts.changesLabel} before={before} after={text} language="yaml" />
        </div>
      )}
      <FlowEditor
        text={text}
        flow={flow}
        looks={looks}
        problems={problems}
        selected={step}
        onSelect={(id) =>
          void navigate({ to: '.', search: (now) => ({ ...now, step: id }), replace: true, resetScroll: false })
        }
        onChange={mayWrite ? setText : undefined}
      />
      {mayWrite && (
        <div className={styles.row}>
          <Button
            kind="primary"
            onClick={save}
            isBusy={isSaving}
            disabled={obstacle !== undefined}
            disabledReason={obstacle ?? ''}
            shortcut="mod+s"
          >
            {texts.save}
          </Button>
          {isChanged && (
            <>
              <Button onClick={() => setIsDiffShown(!isDiffShown)}>
                {isDiffShown ? texts.hideChanges : texts.changes}
              </Button>
              <Button onClick={() => setText(before)}>{texts.revert}</Button>
              {obstacle !== undefined && <span role="status">{obstacle}</span>}
            </>
          )}
        </div>
      )}
    </>
  );
};
