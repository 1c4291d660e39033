import { fromJson, type JsonObject, toJson } from '@bufbuild/protobuf';
import { type Agent, type AgentSpec, AgentSpecSchema } from '@svc/api/resources';
import { confirm } from '../confirm.ts';
import type { GlobalOptions } from '../connection.ts';
import { type CommandContext, openContext } from '../context.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import type { Host } from '../host.ts';
import { unifiedDiff } from '../manifests/index.ts';
import { yamlText } from '../output.ts';

export interface RebaseOptions extends GlobalOptions {
  /** Fields of the spec that stay as the agent has them. */
  readonly keep?: readonly string[];
  /** A template other than the one the agent was created from. */
  readonly template?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

const TEMPLATE = 'svc/template';
const TEMPLATE_VERSION = 'svc/template-version';
const TEMPLATE_UID = 'svc/template-uid';

/**
 * `svc agent rebase NAME`: applies the current template to the agent: fields of the template win, except for --keep; fields that
 * only the agent has stay. Shows the difference and asks. The agent's record of its template is updated.
 */
export const rebaseAgent = async (host: Host, name: string, options: RebaseOptions): Promise<void> => {
  const context = await openContext(host, options);
  const { client, target, note } = context;
  const { agent } = await client.gateway.getAgent({ ns: target.namespace, name });
  const annotations = agent?.metadata?.annotations ?? {};
  const template = options.template ?? annotations[TEMPLATE] ?? '';
  if (template === '')
    throw new CommandFailure(`agent ${name} was not made from a template`, { hint: 'name one with --template' });
  const from = await readTemplate(context, template);
  const spec = await rebased(context, { agent, template: from.spec, keep: options.keep ?? [] });
  const isRecorded =
    annotations[TEMPLATE] === template &&
    annotations[TEMPLATE_VERSION] === from.version &&
    annotations[TEMPLATE_UID] === from.uid;
  const difference = await differenceOf(agent?.spec, spec, { name, template });
  if (difference === '' && isRecorded) return note(`agent ${name} is on the newest version of ${template} already`);
  host.stdout.write(difference);
  if (difference === '') note('nothing changes but the recorded version of the template');
  if (options.dryRun === true) return;
  await confirm(host, {
    text: 'write this?',
    isAgreed: options.yes === true,
    refusal: 'nothing was written',
  });
  const resourceVersion = agent?.metadata?.resourceVersion ?? '';
  await client.gateway.modifyAgent({ ns: target.namespace, agent: name, template, spec, resourceVersion });
  host.stdout.write(`agent/${name} rebased on ${template} (version ${from.version})\n`);
};

const readTemplate = async (
  { client }: CommandContext,
  name: string,
): Promise<{ readonly spec: JsonObject; readonly version: string; readonly uid: string }> => {
  const { template } = await client.gateway.getAgentTemplate({ name });
  if (template?.spec === undefined)
    throw new CommandFailure(`there is no agent template ${name}`, { exitCode: exitCodes.notFound });
  const text = template.spec.specJson === '' ? '{}' : template.spec.specJson;
  // Parsed and printed once, so that short names and defaults look as they do in an agent.
  const spec = toJson(AgentSpecSchema, fromJson(AgentSpecSchema, JSON.parse(text) as JsonObject)) as JsonObject;
  const { generation = '', uid = '' } = template.metadata ?? {};
  return { spec, version: String(generation), uid };
};

const rebased = async (
  { host }: CommandContext,
  given: { readonly agent: Agent | undefined; readonly template: JsonObject; readonly keep: readonly string[] },
): Promise<AgentSpec> => {
  const { mergePatch } = await host.loadManifests();
  const { agent, template, keep } = given;
  const own = agent?.spec === undefined ? {} : (toJson(AgentSpecSchema, agent.spec) as JsonObject);
  const unknown = keep.find((field) => !AgentSpecSchema.fields.some(({ jsonName }) => jsonName === field));
  if (unknown !== undefined)
    throw new CommandFailure(`--keep ${unknown} is not a field of an agent`, {
      hint: AgentSpecSchema.fields.map(({ jsonName }) => jsonName).join(', '),
    });
  const taken = Object.fromEntries(Object.entries(template).filter(([field]) => !keep.includes(field)));
  return fromJson(AgentSpecSchema, mergePatch(own as never, taken as never) as JsonObject);
};

const differenceOf = async (
  before: AgentSpec | undefined,
  after: AgentSpec,
  names: { readonly name: string; readonly template: string },
): Promise<string> => {
  const text = (spec: AgentSpec | undefined) =>
    spec === undefined ? Promise.resolve('') : yamlText(toJson(AgentSpecSchema, spec));
  return unifiedDiff(
    { before: await text(before), after: await text(after) },
    { before: `agent ${names.name}`, after: `agent ${names.name} on template ${names.template}` },
  );
};
