import type { Harnesses, HarnessListener } from '../index.ts';

/**
 * A harness without a process: lines of the turn's own message are what it does, in order. `text WORDS`, `think WORDS`, `begin NAME`, `end NAME
 * OUTPUT`, `ask NAME`, `tool NAME JSON`, `die`, `hold` (until the turn is stopped); anything else is nothing.
 */
export class ScriptedHarness implements Harnesses {
  /** Texts it was prompted with, and sessions that it was asked to continue. */
  readonly prompts: string[] = [];
  readonly saved: string[] = [];
  /** How often it dies before it does anything. */
  deaths = 0;
  #sessions = 0;

  readonly run: Harnesses['run'] = async (turn, sink) => {
    const { signal, savedSessionId } = turn;
    this.saved.push(savedSessionId);
    const id = savedSessionId === '' ? `own-${++this.#sessions}` : savedSessionId;
    const text = await sink.opened({ id, isLoaded: savedSessionId !== '', isReset: false, sandbox: 'box' });
    this.prompts.push(text);
    if (this.deaths > 0) {
      this.deaths -= 1;
      await sink.text('text', 'half');
      return { kind: 'lost', sentence: 'The external agent was lost.' };
    }
    for (const line of text.split('\n')) {
      if (signal.aborted) return { kind: 'ended', reason: 'cancelled', usage: undefined };
      const end = await act(line, sink, signal);
      if (end === 'lost') return { kind: 'lost', sentence: 'The external agent was lost.' };
      if (end === 'refused') return { kind: 'ended', reason: 'cancelled', usage: undefined };
    }
    const counts = { inputTokens: 3, outputTokens: 2, reasoningTokens: 0, cachedTokens: 0, cacheWriteTokens: 0 };
    return { kind: 'ended', reason: 'stop', usage: { ...counts, totalTokens: 5 } };
  };
}

const act = async (line: string, sink: HarnessListener, signal: AbortSignal): Promise<'next' | 'lost' | 'refused'> => {
  const [verb = '', name = '', ...words] = line.split(' ');
  const rest = [name, ...words].join(' ');
  switch (verb) {
    case 'text':
      await sink.text('text', `${rest}. `);
      return 'next';
    case 'think':
      await sink.text('reasoning', rest);
      return 'next';
    case 'begin':
      return (await sink.callBegan({ callId: name, name, input: { name } })) ? 'next' : 'refused';
    case 'end':
      await sink.callEnded({ callId: name, name, output: words.join(' '), isError: false });
      return 'next';
    case 'ask': {
      const options = [
        { id: 'yes', name: 'Yes', allow: true },
        { id: 'no', name: 'No', allow: false },
      ];
      const chosen = await sink.ask({ callId: name, action: name, prompt: `Allow ${name}?`, input: {}, options });
      await sink.text('text', `chose ${chosen ?? 'nothing'}. `);
      return 'next';
    }
    case 'tool': {
      const { text } = await sink.callTool({ name, input: JSON.parse(words.join(' ')), announcedAs: '' });
      await sink.text('text', text.slice(0, 40));
      return 'next';
    }
    case 'die':
      return 'lost';
    case 'hold':
      if (!signal.aborted)
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      return 'next';
    default:
      return 'next';
  }
};
