import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useCan } from '../../access/access-context.ts';
import { useKey } from '../../keys/use-keys.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { useDefinition } from './definition/index.ts';
import { FlowEditor } from './flow-editor.tsx';
import { texts } from './texts.ts';

const firstText = (ns: string): string => `kind: Workflow
metadata:
  name: my-workflow
  namespace: ${ns}
spec:
  description: ""
  steps:
    - id: first
      type: transform
      input:
        answer: 42
`;

/** A workflow that does not exist yet. */
export const NewWorkflowPage = (): ReactElement => {
  const { ns = '' } = useParams({ strict: false });
  const { step } = useSearch({ strict: false });
  const navigate = useNavigate();
  const mayWrite = useCan()('admin', { ns });
  const { text, setText, flow, looks, problems, obstacle, isSaving, error, save } = useDefinition(firstText(ns), {
    ns,
    before: '',
    stored: undefined,
    version: '',
    isNewer: false,
    onSaved: (saved) =>
      void navigate({
        to: '/ns/$ns/workflows/$name',
        params: { ns: saved?.metadata?.namespace ?? ns, name: saved?.metadata?.name ?? '' },
      }),
  });
  const reason = mayWrite ? obstacle : texts.mayNotWrite;
  useKey({ keys: 'mod+s', does: texts.save, run: save }, reason === undefined);
  return (
    <Page
      title={texts.newWorkflow}
      isFilled
      above={
        <Link to="/ns/$ns/workflows" params={{ ns }}>
          {texts.title}
        </Link>
      }
      actions={
        <Button
          kind="primary"
          onClick={save}
          isBusy={isSaving}
          disabled={reason !== undefined}
          disabledReason={reason ?? ''}
          shortcut="mod+s"
        >
          {texts.save}
        </Button>
      }
    >
      {error && <Problem error={error} />}
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
    </Page>
  );
};
