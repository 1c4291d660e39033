import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { ConnectorMessageEventStatus as Status } from '@svc/api/external';
import { ExplainMessageEventResponseSchema } from '@svc/api/gateway';
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { EventAnswer } from './answers.tsx';

/** The view on a page of its own, for its links. */
const shown = async (view: ReactElement): Promise<string> => {
  const router = createRouter({
    routeTree: createRootRoute({ component: () => view }),
    history: createMemoryHistory({ initialEntries: ['/'] }),
  });
  await router.load();
  return renderToStaticMarkup(<RouterProvider router={router} />);
};

const answer = (init: MessageInitShape<typeof ExplainMessageEventResponseSchema>): Promise<string> =>
  shown(<EventAnswer answer={create(ExplainMessageEventResponseSchema, init)} />);

const agent = { namespace: 'shop', name: 'support' };

describe('the answer to what would happen', () => {
  it('leads to the connector, the agent and the session that there is', async () => {
    const html = await answer({
      status: Status.ACCEPTED,
      reason: 'accepted',
      explanation: 'The event is taken.',
      ns: 'shop',
      connector: 'chat',
      session: 'existing',
      answersRequest: true,
      consumer: { session: { agent, sessionId: 's1' } },
      routes: [{ routeId: 'team?team=t', ns: 'shop', connector: 'chat', outcome: 'matched' }],
      routesTruncated: true,
    });
    for (const address of [
      '/ns/shop/resources/Connector/chat',
      '/ns/shop/agents/support',
      '/ns/shop/agents/support/sessions/s1',
    ])
      expect(html).toContain(`href="${address}"`);
    expect(html).toContain('The event is taken.');
    expect(html).toContain('It answers what an agent asks there.');
    expect(html).toContain('takes the event');
    expect(html).toContain('More routes are not shown.');
  });

  it('names a new session without a link, and one that may not be seen', async () => {
    const fresh = await answer({ status: Status.ACCEPTED, session: 'new', consumer: { session: { agent } } });
    expect(fresh).toContain('a new session');
    expect(fresh).not.toContain('/sessions/');
    const hidden = await answer({ status: Status.ACCEPTED, session: 'existing', consumer: { session: { agent } } });
    expect(hidden).toContain('a session that you may not see');
  });

  it('shows the agents of a channel, or that it has none, and leads to a workflow', async () => {
    const channel = { channel: { namespace: 'shop', name: 'desk' } };
    const one = { subscription: 'all', agent: 'helper', trigger: 'all', outcome: 'called' };
    const html = await answer({ status: Status.ACCEPTED, consumer: { channel }, subscriptions: [one] });
    expect(html).toContain('href="/ns/shop/channels/desk"');
    expect(html).toContain('all: it takes every message');
    expect(await answer({ status: Status.ACCEPTED, consumer: { channel } })).toContain('no one is called');
    const run = await answer({ status: Status.ACCEPTED, consumer: { workflow: { namespace: 'shop', name: 'flow' } } });
    expect(run).toContain('href="/ns/shop/workflows/flow"');
  });

  it('says what fails in the words of the server', async () => {
    const html = await answer({ reason: 'AGENT_NOT_FOUND', explanation: 'agent not found: shop/nobody' });
    expect(html).toContain('fails');
    expect(html).toContain('agent not found: shop/nobody');
  });
});
