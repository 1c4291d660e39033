import type { Resource, SkillSpec } from '@svc/api/resources';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import { useCan } from '../../access/access-context.ts';
import { useWrite } from '../../api/use-call.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyMenu } from '../../ui/copy-menu.tsx';
import { Empty } from '../../ui/empty.tsx';
import { TextField } from '../../ui/field.tsx';
import { notify } from '../../ui/notices.tsx';
import { type TextDrafts, useTextDraft } from '../../ui/text-draft.ts';
import { knowledgeStyles as styles, TextDocument } from '../knowledge/index.ts';
import {
  addressOfResource,
  badConditions,
  commandOf,
  DeleteResource,
  keptMetadata,
  pathOf,
  phaseOf,
  ResourceShelf,
  toneOfPhase,
  yamlOf,
} from '../resources/index.ts';
import { texts } from './texts.ts';

/** The skills of a namespace, and the one that is read or written. */
export const SkillsPage = (): ReactElement => {
  const { skill = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [drafts] = useState<TextDrafts>(() => new Map());
  const open = (next: string | undefined): void =>
    void navigate({ to: '.', search: (before) => ({ ...before, skill: next }) });
  return (
    <ResourceShelf
      kind="Skill"
      title={texts.title}
      create={texts.create}
      empty={
        <Empty icon="spark" title={texts.none}>
          <p>{texts.howToGet}</p>
        </Empty>
      }
      choose={texts.choose}
      more={texts.more}
      command="svc get skills"
      chosen={skill}
      onChoose={open}
      show={(chosen) => (
        <OneSkill key={chosen.metadata?.uid} skill={chosen} drafts={drafts} onGone={() => open(undefined)} />
      )}
    />
  );
};

interface SkillTexts extends Pick<SkillSpec, 'description' | 'instructions'> {
  /** That must still be stored. */
  readonly version: string;
}

interface OneSkillProps {
  readonly skill: Resource;
  readonly drafts: TextDrafts;
  readonly onGone: () => void;
}

const OneSkill = ({ skill, drafts, onGone }: OneSkillProps): ReactElement | null => {
  const address = addressOfResource(skill);
  const mayWrite = useCan()('admin', { ns: address.ns });
  const spec = skill.spec?.kind.case === 'skill' ? skill.spec.kind.value : undefined;
  const stored = skill.metadata?.resourceVersion ?? '';
  const id = skill.metadata?.uid ?? '';
  const under = { drafts, name: `${id} description` };
  const description = useTextDraft({ text: spec?.description ?? '', version: stored }, under);
  const { draft } = description;
  const write = useWrite<SkillTexts, unknown>(
    (client, { version, ...value }) => {
      const { apiVersion, kind } = skill;
      const metadata = { ...keptMetadata(skill.metadata), resourceVersion: version };
      const manifest = { apiVersion, kind, metadata, spec: { kind: { case: 'skill' as const, value } } };
      return client.resources.applyResource({ ...address, manifest });
    },
    { changes: { kinds: ['Skill'] }, onDone: () => notify(texts.saved(address.name)) },
  );
  if (spec === undefined) return null;
  const saveDescription = (): void => {
    if (draft === undefined) return;
    description.markSent();
    write.mutate({ description: draft.text, instructions: spec.instructions, version: draft.version });
  };
  const phase = phaseOf(skill);
  return (
    <>
      <div className={styles.bar}>
        <h2>{address.name}</h2>
        <div className={styles.actions}>
          {phase !== '' && <Badge tone={toneOfPhase(phase)}>{phase}</Badge>}
          <DeleteResource address={address} resource={skill} onDeleted={onGone} />
          <CopyMenu command={commandOf(address)} path={pathOf(address)} yaml={() => yamlOf(skill)} />
        </div>
      </div>
      {badConditions(skill).map(({ type, reason, message }) => (
        <p key={type}>
          <strong>{type}</strong> {[reason, message].filter(Boolean).join(': ')}
        </p>
      ))}
      <TextField
        label={texts.description}
        hint={texts.descriptionHint}
        value={draft?.text ?? spec.description}
        onChange={(next) => mayWrite && description.setText(next)}
      />
      {draft !== undefined && (
        <div className={styles.actions}>
          <Button isBusy={write.isPending} onClick={saveDescription}>
            {texts.saveDescription}
          </Button>
        </div>
      )}
      <TextDocument
        label={texts.instructions}
        stored={spec.instructions}
        version={stored}
        drafts={drafts}
        id={id}
        mayWrite={mayWrite}
        isSaving={write.isPending}
        error={write.error}
        onSave={(instructions, version) => write.mutate({ description: spec.description, instructions, version })}
      />
    </>
  );
};
