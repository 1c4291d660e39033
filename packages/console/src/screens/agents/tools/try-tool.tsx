import type { AgentTool } from '@svc/api/gateway';
import { type ReactElement, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { CopyMenu } from '../../../ui/copy-menu.tsx';
import { Problem } from '../../../ui/problem.tsx';
import { initialValue, schemaOf } from '../../../ui/schema/schema.ts';
import { type Problems, problemsOf } from '../../../ui/schema/schema-problems.ts';
import { SchemaForm } from '../../../ui/schema-form.tsx';
import type { AgentName } from '../agents-data.ts';
import { texts } from '../texts.ts';
import { takesArguments } from './tool-schema.ts';
import styles from './tools.module.css';
import { useTry } from './tools-data.ts';
import { TryAnswer } from './try-answer.tsx';

const NONE: Problems = new Map();

/** The arguments of a tool as a form, and what a call with them answers. */
export const TryTool = ({ agent, tool }: { readonly agent: AgentName; readonly tool: AgentTool }): ReactElement => {
  const { ns, name } = agent;
  const call = useTry(agent, tool.name);
  const schema = schemaOf(tool.inputSchemaJson) ?? {};
  const [value, setValue] = useState<unknown>(() => initialValue(schema) ?? {});
  const [problems, setProblems] = useState(NONE);
  const mustAllow = tool.approval === 'ask';
  const argumentsJson = JSON.stringify(value ?? {});
  const run = (): void => {
    const found = problemsOf(schema, value);
    setProblems(found);
    if (found.size === 0 && !call.isPending) call.mutate({ argumentsJson, confirm: mustAllow });
  };
  return (
    <div className={styles.try}>
      {takesArguments(tool.inputSchemaJson) && (
        <SchemaForm schema={schema} value={value} onChange={setValue} problems={problems} label={texts.arguments} />
      )}
      {tool.effect !== 'read' && <p className={styles.soft}>{texts.isReal}</p>}
      <div className={styles.actions}>
        <Button kind="primary" icon="play" isBusy={call.isPending} onClick={run}>
          {mustAllow ? texts.allowAndRun : texts.run}
        </Button>
        <CopyMenu
          command={`svc agent try ${name} ${tool.name} ${shellWord(argumentsJson)} -n ${ns}`}
          path={`/v1/ns/${ns}/agents/${name}/tools/${tool.name}:try`}
        />
      </div>
      <div aria-live="polite">
        {call.error && <Problem error={call.error} />}
        {call.data && !call.isPending && <TryAnswer answer={call.data} />}
      </div>
    </div>
  );
};

/** A text as one word of a shell. */
const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
