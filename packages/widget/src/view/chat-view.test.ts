import { describe, expect, it } from 'vitest';
import { h, textOf } from '../dom/vnode.ts';
import {
  type Conversation,
  emptyConversation,
  withEvent,
  withOutgoing,
  withStored,
  withUnsent,
} from '../model/conversation.ts';
import type { FieldValue } from '../model/schema-form.ts';
import type { WirePart } from '../model/wire.ts';
import { type ChatState, initialState } from '../session/chat-state.ts';
import { elementsOf } from '../testing/outline.ts';
import { englishTexts } from '../texts.ts';
import type { ChatActions } from './chat-actions.ts';
import { chatView, type PanelState } from './chat-view.ts';

const done: unknown[] = [];
/** Notes what a person does. */
const actions = new Proxy({} as ChatActions, {
  get:
    (_target, name) =>
    (...given: readonly unknown[]) =>
      done.push([name, ...given]),
});

const composer = { draft: '', attachments: [], isFilled: false, isDragging: false, warning: '' };
const inline: PanelState = {
  heading: 'Help',
  isBubble: false,
  isOpen: true,
  hasUnread: false,
  isAtEnd: true,
  composer,
  forms: new Map(),
};

const shown = (change: Partial<ChatState> = {}, panel: Partial<PanelState> = {}) =>
  h(
    'root',
    {},
    chatView({ ...initialState, phase: 'ready', ...change }, { ...inline, ...panel }, { texts: englishTexts, actions }),
  );
const text = (...given: Parameters<typeof shown>): string => textOf(shown(...given));

const talk = (...parts: readonly WirePart[]): Conversation =>
  withStored(emptyConversation, [
    { id: 'a', role: 'ROLE_USER', parts: [{ partType: 'TEXT', content: '**hi**' }] },
    { id: 'b', role: 'ROLE_ASSISTANT', parts },
  ]);
const request = (payload: object): WirePart => ({
  partType: 'REQUEST_PERMISSION',
  content: 'The question',
  name: 'send',
  payloadJson: JSON.stringify({ request_id: 'r', ...payload }),
});
/** The conversation while its last message is being written. */
const writing = (conversation: Conversation): Conversation => ({
  openTurns: ['t'],
  messages: conversation.messages.map((message) =>
    message.role === 'user' ? message : { ...message, isFinished: false },
  ),
});

/** Presses the button with these words. */
const press = (words: string, ...given: Parameters<typeof shown>): unknown => {
  const pressed = elementsOf(shown(...given), 'button').find(
    (each) => 'tag' in each && (each.attributes['aria-label'] ?? textOf(each)) === words,
  );
  if (pressed === undefined || !('tag' in pressed)) throw new Error(`there is no button ${words}`);
  done.length = 0;
  pressed.hooks.on?.['click']?.(new Event('click'));
  return done[0];
};

describe('the chat', () => {
  it('says what it is doing', () => {
    expect(text({ phase: 'loading' })).toContain('Loading');
    expect(text()).toContain('How can I help?');
    expect(text({ isConnected: false })).toContain('Connection lost. Trying again.');
    expect(text({ conversation: { messages: [], openTurns: ['t'] } })).toContain('Working on it');
    expect(text({ notice: { kind: 'busy', message: '', requestId: '', fields: new Map() } })).toContain(
      'Too many messages are waiting.',
    );
  });

  it('says why it cannot show the conversation, and tries again', () => {
    const failed = {
      phase: 'failed',
      problem: { kind: 'gone', message: '', requestId: 'q7', fields: new Map() },
    } as const;
    expect(text(failed)).toContain('This conversation does not exist any more.Reference: q7');
    expect(elementsOf(shown(failed), 'textarea')).toEqual([]);
    expect(press('Try again', failed)).toEqual(['reload']);
  });

  it('opens and closes in a bubble, and says when something is new', () => {
    const closed = { isBubble: true, isOpen: false };
    expect(text({}, closed)).toBe('');
    expect(press('Open chat', {}, closed)).toEqual(['openPanel']);
    expect(press('Open chat. New answer', {}, { ...closed, hasUnread: true })).toEqual(['openPanel']);
    expect(press('Close chat', {}, { isBubble: true })).toEqual(['closePanel']);
  });

  it('stops a turn, and still sends what is written meanwhile', () => {
    const busy = { conversation: { messages: [], openTurns: ['t'] } };
    const parts = (...given: Parameters<typeof shown>) =>
      elementsOf(shown(...given), 'button').flatMap((each) => ('tag' in each ? (each.attributes['part'] ?? []) : []));
    expect(press('Stop', busy)).toEqual(['stop']);
    expect(parts(busy)).toEqual(['stop']);
    expect(parts(busy, { composer: { ...composer, isFilled: true } })).toEqual(['stop', 'send']);
    expect(parts()).toEqual(['send']);
  });

  it('begins a field that is made again with what was written, and leaves one that is there alone', () => {
    const [field] = elementsOf(shown({}, { composer: { ...composer, draft: 'Half a question' } }), 'textarea');
    if (field === undefined || !('tag' in field)) throw new Error('there is no field');
    const element = { value: '' };
    field.hooks.made?.(element as unknown as Element);
    expect(element.value).toBe('Half a question');
    expect(field.attributes['value']).toBe(undefined);
  });

  it('goes to what is out of view', () => {
    expect(press('Show earlier messages', { hasEarlier: true })).toEqual(['loadEarlier']);
    expect(press('Go to the newest message', {}, { isAtEnd: false })).toEqual(['toEnd']);
  });
});

describe('a message', () => {
  it('is Markdown of the agent, and plain text of a person', () => {
    const conversation = talk({ partType: 'TEXT', content: '**yes**' });
    expect(text({ conversation })).toContain('You:**hi**Answer:yes');
    expect(elementsOf(shown({ conversation }), 'strong').map(textOf)).toEqual(['Help', 'yes']);
  });

  it('folds reasoning and shows tools in one line each', () => {
    const call: WirePart = { partType: 'TOOL_CALL', name: 'look', payloadJson: '{"tool_call_id":"c"}' };
    const conversation = talk({ partType: 'REASONING', content: 'Hm' }, call);
    expect(elementsOf(shown({ conversation }), 'details').map(textOf)).toEqual(['ThoughtsHm']);
    expect(text({ conversation: writing(conversation) })).toContain('Using look');
    expect(text({ conversation })).toContain('look failed');
  });

  it('can be tried again when it failed and nothing follows', () => {
    const failed = talk({ partType: 'ERROR', content: 'It broke.' });
    expect(press('Try again', { conversation: failed })).toEqual(['answerAgain', 'b']);
    const followed = withStored(failed, [{ id: 'c', role: 'ROLE_USER', parts: [] }]);
    expect(() => press('Try again', { conversation: followed })).toThrow('there is no button');
  });

  it('says how it ended', () => {
    const end = (reason: string): Conversation =>
      withEvent(
        withEvent(emptyConversation, {
          kind: 'DELTA',
          messageId: 'm',
          turnId: 't',
          part: { partType: 'TEXT', content: 'x' },
        }),
        { kind: 'DONE', turnId: 't', reason },
      );
    expect(text({ conversation: end('stopped') })).toContain('xStopped');
    expect(text({ conversation: end('limit') })).toContain('The answer was cut off because it became too long.');
    expect(text({ conversation: end('refused') })).toContain('The model declined to answer.');
    expect(text({ conversation: end('completed') })).not.toContain('Stopped');
  });

  it('that could not be sent says why, and can be sent again or given up', () => {
    const sending = withOutgoing(emptyConversation, { id: 'o', text: 'hi', attachments: [] });
    expect(text({ conversation: sending })).toContain('hiSending');
    const conversation = withUnsent(sending, 'o', {
      kind: 'unreachable',
      message: '',
      requestId: '',
      fields: new Map(),
    });
    expect(text({ conversation })).toContain('hiNot sent. The server cannot be reached.');
    expect(press('Try again', { conversation })).toEqual(['sendAgain', 'o']);
    expect(press('Discard', { conversation })).toEqual(['discard', 'o']);
  });

  it('shows files with name and size, and fetches pictures itself', () => {
    const object = { mediaType: 'application/pdf', sizeBytes: '2048', filename: 'a.pdf' };
    const conversation = talk({ id: 'p', partType: 'FILE', object });
    const part = { id: 'p', mediaType: 'application/pdf', filename: 'a.pdf' };
    expect(press('a.pdf2.0 kB', { conversation })).toEqual(['download', 'b', part]);
    const picture = talk({ id: 'p', partType: 'IMAGE', object: { ...object, mediaType: 'image/png' } });
    const media = new Map([['b/p', { state: 'ready', url: 'blob:x' } as const]]);
    expect(elementsOf(shown({ conversation: picture, media }), 'img')).toMatchObject([
      { attributes: { src: 'blob:x', alt: 'a.pdf' } },
    ]);
    // A picture that may bring more than a picture along stays a file.
    const drawing = talk({ id: 'p', partType: 'IMAGE', object: { ...object, mediaType: 'image/svg+xml' } });
    expect(elementsOf(shown({ conversation: drawing, media }), 'img')).toEqual([]);
  });
});

describe('a request', () => {
  const options = [
    { id: 'y', name: 'Allow once', decision: 'PERMISSION_DECISION_ALLOW' },
    { id: 'n', name: 'Deny', decision: 'PERMISSION_DECISION_DENY' },
  ];

  it('for permission offers its options, with what the tool would get', () => {
    const conversation = writing(talk(request({ kind: 'permission', options, input: { to: 'Ann' } })));
    expect(text({ conversation })).toContain('May I do this?The questionDetails: send{\n  "to": "Ann"\n}');
    expect(text({ conversation })).toContain('Waiting for your answer');
    expect(press('Allow once', { conversation })).toEqual(['answer', 'r', { allow: true, optionId: 'y' }]);
    expect(press('Deny', { conversation })).toEqual(['answer', 'r', { allow: false, optionId: 'n' }]);
  });

  it('for money offers the amounts', () => {
    const conversation = writing(talk(request({ kind: 'budget', options: [{ ...options[0], name: '+10 %' }] })));
    expect(text({ conversation })).toContain('A limit is reached');
    expect(press('+10 %', { conversation })).toEqual(['answer', 'r', { allow: true, optionId: 'y' }]);
  });

  it('for a sign-in leads to a website, and nowhere else', () => {
    const ask = (url: string): Conversation => writing(talk(request({ kind: 'sign_in', url })));
    const links = (url: string): readonly unknown[] =>
      elementsOf(shown({ conversation: ask(url) }), 'a').map((each) => [
        textOf(each),
        'tag' in each && each.attributes['href'],
      ]);
    expect(links('https://id.example.org/x?y')).toEqual([['Sign in at id.example.org', 'https://id.example.org/x?y']]);
    expect(links('javascript:alert(1)')).toEqual([]);
    expect(press('Decline', { conversation: ask('') })).toEqual(['answer', 'r', { allow: false }]);
  });

  it('for data shows a field for each property, and what is wrong with it', () => {
    const schema = {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', title: 'Your name' },
        wood: { enum: ['Oak', 'Larch'] },
        size: { enum: ['1', '2', '3', '4', '5', '6'] },
        gift: { type: 'boolean' },
        note: {},
      },
    };
    const conversation = writing(talk(request({ kind: 'input', schema })));
    const forms = new Map([['r', { values: new Map(), problems: new Map([['name', 'missing' as const]]) }]]);
    expect(text({ conversation }, { forms })).toContain(
      'Your namePlease fill this in.wood (optional)OakLarchsize (optional)Choose123456giftnote (optional)',
    );
    const fields = elementsOf(shown({ conversation }, { forms }), 'input').map(
      (each) => 'tag' in each && each.attributes['type'],
    );
    expect(fields).toEqual(['text', 'radio', 'radio', 'checkbox', 'file']);
  });

  it('for data shows in a form that is made again what a person did with the former one', () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string', default: 'Ada' },
        wood: { enum: ['Oak', 'Larch'], default: 'Oak' },
        gift: { type: 'boolean', default: true },
      },
    };
    const conversation = writing(talk(request({ kind: 'input', schema })));
    const filled = (...values: readonly (readonly [string, FieldValue])[]): readonly unknown[] => {
      const forms = new Map([['r', { values: new Map(values), problems: new Map() }]]);
      return elementsOf(shown({ conversation }, { forms }), 'input').flatMap((each) => {
        if (!('tag' in each) || each.attributes['type'] === 'file') return [];
        return [each.attributes['type'] === 'text' ? each.attributes['value'] : each.attributes['checked']];
      });
    };
    expect(filled()).toEqual(['Ada', true, false, true]);
    expect(filled(['name', ''], ['wood', [1]], ['gift', false])).toEqual(['', false, true, false]);
  });

  it('says that an answer was refused, and cannot be answered twice at once', () => {
    const conversation = writing(talk(request({ kind: 'permission', options })));
    const problem = {
      kind: 'other',
      message: 'no',
      requestId: '',
      fields: new Map([['answerJson', 'is wrong']]),
    } as const;
    expect(text({ conversation, answers: new Map([['r', { state: 'refused', problem } as const]]) })).toContain(
      'is wrong',
    );
    const sending = shown({ conversation, answers: new Map([['r', { state: 'sending' } as const]]) });
    const disabled = elementsOf(sending, 'button').filter(
      (each) => 'tag' in each && each.attributes['disabled'] === true,
    );
    expect(disabled.map(textOf)).toEqual(['Allow once', 'Deny']);
  });

  it('is one line once it is answered', () => {
    const answer = (decision: string, kind: string): string =>
      text({
        conversation: talk(request({ kind, options }), {
          partType: 'PERMISSION_RESULT',
          payloadJson: JSON.stringify({ request_id: 'r', decision: `PERMISSION_DECISION_${decision}`, option_id: '' }),
        }),
      });
    expect(answer('ALLOW', 'permission')).toContain('Allowed: send');
    expect(answer('DENY', 'permission')).toContain('Not allowed: send');
    expect(answer('ALLOW', 'input')).toContain('Answer sent: The question');
    expect(answer('DENY', 'sign_in')).toContain('Declined: The question');
    expect(text({ conversation: talk(request({ kind: 'input' })) })).toContain('No longer needed: The question');
  });
});
