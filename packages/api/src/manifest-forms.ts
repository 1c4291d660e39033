/**
 * What manifests may write instead of the stored form of a spec, by message: for the server, which reads manifests, and for
 * programs that help to write them.
 */

/**
 * `json`: any value, kept as canonical JSON text. `text`: another name. `seconds`: a duration. `merge`: the members named in
 * `only` (all when absent) are here themselves. `inside`: the value is in that member of the field.
 */
export interface OtherForm {
  readonly field: string;
  readonly form: 'json' | 'text' | 'seconds' | 'merge' | 'inside';
  readonly only?: readonly string[];
  readonly inside?: string;
}

const json = (field: string): OtherForm => ({ field, form: 'json' });
const text = (field: string): OtherForm => ({ field, form: 'text' });

/** Other forms by message and member; the value names the stored field. */
export const otherForms: Readonly<Record<string, Readonly<Record<string, OtherForm>>>> = {
  'svc.resources.TemplateSpec': { spec: json('spec_json') },
  'svc.resources.McpServerBindingSpec': { server: text('server_ref'), mcpServer: text('server_ref') },
  'svc.resources.ScheduleSpec': { input: json('input_json'), interval: { field: 'interval_seconds', form: 'seconds' } },
  'svc.resources.WorkflowSpec': {
    inputSchema: json('input_schema_json'),
    outputSchema: json('output_schema_json'),
    output: json('output_json'),
  },
  'svc.resources.WorkflowStep': {
    when: json('when_json'),
    input: json('input_json'),
    resumeSchema: json('resume_schema_json'),
    duration: text('wait_duration'),
    until: text('wait_until'),
  },
  'svc.resources.WorkflowStepOutputPolicy': { schema: json('schema_json') },
  'svc.resources.SandboxClassSpec': {
    providerConfig: json('provider_config_json'),
    credentials: json('credentials_json'),
  },
  'svc.resources.SandboxPolicySpec': { quota: { field: '', form: 'merge', only: ['maxConcurrent', 'max_concurrent'] } },
  'svc.resources.SandboxSpec': { template: text('runtime_template') },
  'svc.resources.SandboxRuntimeTemplateSpec': { spec: { field: '', form: 'merge' } },
  'svc.resources.DeploymentSpec': { selector: { field: 'placement', form: 'inside', inside: 'namespaceSelector' } },
};

/** `input_schema` as `inputSchema`. */
export const camelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
