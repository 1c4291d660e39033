import type { Resource } from '@svc/api/resources';

/** Kinds whose resources may refer to an agent. */
export const REFERRING_KINDS = ['ChannelSubscription', 'Schedule', 'Workflow', 'Connector', 'Task', 'Agent'] as const;

interface AgentName {
  readonly ns: string;
  readonly name: string;
}

/** How a resource refers to an agent, in a few words; undefined where it does not. */
export const referenceTo = ({ spec, metadata }: Resource, { ns, name }: AgentName): string | undefined => {
  const own = metadata?.namespace ?? '';
  const isIt = (ref: { readonly namespace?: string; readonly name: string } | undefined): boolean =>
    ref?.name === name && (ref.namespace || own) === ns;
  const kind = spec?.kind;
  switch (kind?.case) {
    case 'channelSubscription':
      return isIt({ name: kind.value.agent }) ? `answers in ${kind.value.channel}` : undefined;
    case 'schedule':
      return isIt({ name: kind.value.target?.agent ?? '' }) ? 'starts it' : undefined;
    case 'workflow': {
      const steps = kind.value.steps.filter(({ agent }) => agent !== '' && isIt({ name: agent }));
      return steps.length === 0 ? undefined : `runs it in ${steps.map(({ id }) => id).join(', ')}`;
    }
    case 'connector': {
      const { session, channel } = kind.value.consumer ?? {};
      if (isIt(session?.agent)) return 'sends messages to it';
      return isIt(channel?.agent) ? 'calls it for every message' : undefined;
    }
    case 'task':
      if (isIt(kind.value.delegate)) return 'is delegated to it';
      return isIt(kind.value.owner) ? 'is owned by it' : undefined;
    case 'agent': {
      const connection = kind.value.a2a?.connections.find(({ target }) => {
        const { namespace = '', agent = '' } = target?.internal ?? {};
        return isIt({ namespace, name: agent });
      });
      return connection === undefined ? undefined : `delegates to it as ${connection.name}`;
    }
    default:
      return undefined;
  }
};
