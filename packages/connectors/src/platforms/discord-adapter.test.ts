import { DiscordAdapter } from '@chat-adapter/discord';
import { describe, expect, it } from 'vitest';
import { ChatBridge } from '../bridge/chat-bridge.ts';
import { type InboundEvent, NotTaken } from '../kit/index.ts';
import { durableDiscord } from './discord-adapter.ts';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const logger = { ...log, debug: () => undefined, child: () => logger };

class GatewayAdapter extends durableDiscord(DiscordAdapter) {
  /** Takes what the gateway brings. */
  take(interaction: object): Promise<void> {
    return this.handleGatewayInteraction(interaction as never);
  }
}

/** What the person and svc see of an interaction, in order. */
const opened = async (isTaken: boolean) => {
  const steps: unknown[] = [];
  const adapter = new GatewayAdapter({ botToken: 'token', publicKey: 'a'.repeat(64), applicationId: '99', logger });
  const ingest = async ({ text, labels }: InboundEvent) => {
    await Promise.resolve();
    if (!isTaken) throw new NotTaken('svc cannot be reached');
    steps.push({ text, labels });
    return true;
  };
  await adapter.initialize(
    new ChatBridge({
      connector: {
        maxTextLength: 100,
        open: async () => adapter,
        threadOf: () => 't',
        locate: () => ({ conversation: 'c', thread: undefined, conversationType: 'channel', matchFields: {} }),
        interaction: (raw) => ({ id: (raw as { id: string }).id, raw }),
      },
      host: { ingest, reportStatus: () => undefined, log },
      logger,
      userName: 'svc',
      now: () => 0,
      stopping: new AbortController().signal,
      wait: () => Promise.reject(new Error('nothing waits here')),
    }),
  );
  const interaction = (isPress: boolean, more: object) => ({
    isMessageComponent: () => isPress,
    isChatInputCommand: () => !isPress,
    isAnySelectMenu: () => false,
    appPermissions: { bitfield: 0n },
    entitlements: [],
    channelId: '200',
    guildId: '100',
    id: '802',
    user: { id: '7', username: 'ada', globalName: 'Ada' },
    deferUpdate: async () => void steps.push('acknowledged'),
    reply: async (message: object) => void steps.push(message),
    ...more,
  });
  return {
    steps,
    press: () => adapter.take(interaction(true, { customId: 'svc:q-1:2', message: { id: '900' } })),
    command: () =>
      adapter.take(
        interaction(false, { commandName: 'ask', options: { data: [{ name: 'text', type: 3, value: 'what?' }] } }),
      ),
    other: () => adapter.take(interaction(false, { isChatInputCommand: () => false })),
  };
};

describe('what the gateway of Discord brings', () => {
  it('is acknowledged once svc has it', async () => {
    const { steps, press, command, other } = await opened(true);
    await press();
    await command();
    await other();
    expect(steps).toEqual([
      { text: '2', labels: { 'svc.delivery': 'q-1' } },
      'acknowledged',
      { text: '/ask what?', labels: { mention: 'true' } },
      { content: '/ask what?', allowedMentions: { parse: [] } },
    ]);
  });

  it('is not acknowledged when svc does not take it: the person sees that it failed', async () => {
    const { steps, press, command } = await opened(false);
    await expect(press()).rejects.toThrow('svc cannot be reached');
    await expect(command()).rejects.toThrow('svc cannot be reached');
    expect(steps).toEqual([]);
  });
});
