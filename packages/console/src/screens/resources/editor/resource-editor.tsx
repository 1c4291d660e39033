import type { Resource } from '@svc/api/resources';
import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';
import { useCan } from '../../../access/access-context.ts';
import { writtenIn } from '../../../access/grant-rules.ts';
import { useKey } from '../../../keys/use-keys.ts';
import { Button } from '../../../ui/button.tsx';
import { CodeEditor } from '../../../ui/code-editor.tsx';
import type { TextHelp } from '../../../ui/editor/editor-types.ts';
import { Loading } from '../../../ui/loading.tsx';
import { Problem } from '../../../ui/problem.tsx';
import type { ResourceAddress } from '../resource-data.ts';
import { texts } from '../texts.ts';
import { writtenYamlOf } from '../yaml-of.ts';
import { ConflictView } from './conflict-view.tsx';
import styles from './editor.module.css';
import { ReviewView } from './review-view.tsx';
import { type Draft, type Stored, useDraft, versionOf } from './use-draft.ts';

interface ResourceEditorProps {
  readonly address: ResourceAddress;
  /** As it is stored now; undefined for one that does not exist yet. Changes of others are noticed by it. */
  readonly resource: Resource | undefined;
  /** Text to begin with instead of the stored one. */
  readonly text?: string;
  readonly onSaved: (resource: Resource) => void;
  /** Shown next to the buttons. */
  readonly note?: ReactNode;
  /** Another view of the same text, in place of the editor; `onChange` is absent where it may only be read. */
  readonly form?:
    | ((draft: { readonly text: string; readonly onChange: ((text: string) => void) | undefined }) => ReactNode)
    | undefined;
}

/** The YAML of a resource, to change it or to make a new one: suggestions, problems at their lines, a comparison before it is saved. */
export const ResourceEditor = (props: ResourceEditorProps): ReactElement => {
  const { resource, text } = props;
  const [begun, setBegun] = useState<Stored | undefined>(
    resource === undefined ? { text: text ?? '', version: '' } : undefined,
  );
  useEffect(() => {
    if (begun !== undefined || resource === undefined) return;
    void writtenYamlOf(resource).then((stored) => setBegun({ text: stored, version: versionOf(resource) }));
  }, [begun, resource]);
  return begun === undefined ? <Loading /> : <OpenEditor {...props} stored={begun} onBegin={setBegun} />;
};

interface OpenEditorProps extends ResourceEditorProps {
  readonly stored: Stored;
  readonly onBegin: (stored: Stored | undefined) => void;
}

/** Loaded with the first suggestion: the descriptions of all fields are long. */
const help: TextHelp = {
  suggest: async (text, offset) => (await import('../manifest/manifest-help.ts')).suggestionsAt(text, offset),
  explain: async (text, offset) => (await import('../manifest/manifest-help.ts')).explanationAt(text, offset),
};

const OpenEditor = ({ address, resource, stored, note, form, onSaved }: OpenEditorProps): ReactElement => {
  const isNew = resource === undefined;
  const draft = useDraft({ address, isNew, stored, onSaved });
  const { stage } = draft;
  const mayWrite = useCan()('admin', writtenIn(address));
  const saveStep = (): void => {
    if (draft.review.isPending || draft.save.isPending) return;
    if (stage.is === 'review') draft.save.mutate();
    else if (isNew || draft.isChanged) draft.review.mutate();
  };
  useKey({ keys: 'mod+s', does: texts.save, run: saveStep }, mayWrite && stage.is !== 'conflict');
  if (stage.is === 'conflict')
    return (
      <ConflictView
        base={draft.base}
        mine={draft.text}
        theirs={stage.theirs}
        onGoOn={draft.goOnFrom}
        onBack={draft.backToText}
      />
    );
  if (stage.is === 'review')
    return (
      <ReviewView
        before={isNew ? '' : draft.base.text}
        after={stage.after}
        resource={stage.rehearsal.resource}
        isNew={isNew}
        isSaving={draft.save.isPending}
        error={draft.save.error}
        onBack={draft.backToText}
        onSave={() => draft.save.mutate()}
      />
    );
  const onChange = mayWrite ? draft.setText : undefined;
  return (
    <div className={styles.stage}>
      <Bar draft={draft} isNew={isNew} mayWrite={mayWrite} note={note} isText={form === undefined} />
      {resource !== undefined && versionOf(resource) !== draft.base.version && (
        <Stale draft={draft} resource={resource} />
      )}
      {draft.review.error && <Problem error={draft.review.error} />}
      {form?.({ text: draft.text, onChange }) ?? (
        <CodeEditor
          label={texts.yamlOf(address.kind, address.name)}
          language="yaml"
          value={draft.text}
          onChange={onChange}
          problems={draft.problems}
          help={help}
          isFilled
        />
      )}
    </div>
  );
};

interface BarProps {
  readonly draft: Draft;
  readonly isNew: boolean;
  readonly mayWrite: boolean;
  readonly note: ReactNode;
  readonly isText: boolean;
}

const Bar = ({ draft, isNew, mayWrite, note, isText }: BarProps): ReactElement => {
  const { problems, isChanged, review } = draft;
  const [first] = problems;
  const rest = problems.length - 1;
  return (
    <div className={styles.bar}>
      <p className={first === undefined ? styles.note : styles.bad} role="status">
        {!mayWrite && texts.readOnly}
        {mayWrite && first === undefined && (isChanged ? texts.looksFine : isText && texts.howToWrite)}
        {mayWrite && first !== undefined && texts.firstProblem(first.line, first.text, rest)}
      </p>
      <div className={styles.actions}>
        {note}
        {mayWrite && isChanged && !isNew && (
          <Button isBusy={review.isPending} onClick={() => draft.setText(draft.base.text)}>
            {texts.discard}
          </Button>
        )}
        {mayWrite && (
          <Button
            kind="primary"
            shortcut="mod+s"
            isBusy={review.isPending}
            disabled={!isNew && !isChanged}
            disabledReason={texts.nothingChanges}
            onClick={() => review.mutate()}
          >
            {texts.reviewAndSave}
          </Button>
        )}
      </div>
    </div>
  );
};

/** The resource changed since the text was begun: said only where its text did, and something was typed. */
const Stale = ({ draft, resource }: { readonly draft: Draft; readonly resource: Resource }): ReactElement | null => {
  const { isChanged, follow } = draft;
  const [isOther, setIsOther] = useState(false);
  const looked = useRef('');
  useEffect(() => {
    if (isChanged && looked.current === versionOf(resource)) return;
    looked.current = versionOf(resource);
    void follow(resource).then(setIsOther);
  });
  if (!isChanged || !isOther) return null;
  return (
    <div className={styles.stale} role="status">
      {texts.stale}
      <Button isBusy={draft.review.isPending} onClick={() => draft.review.mutate()}>
        {texts.showConflict}
      </Button>
    </div>
  );
};
