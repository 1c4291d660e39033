import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { SessionMessagePartSchema, SessionMessagePartType as Type } from '@svc/api/data';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { MediaView } from '../media/index.ts';
import { FailureView, ToolView, UsageView } from './row-views.tsx';

const HOSTILE = '<img src=x onerror=alert(1)>';
const SHOWN = '&lt;img src=x onerror=alert(1)&gt;';

const part = (init: MessageInitShape<typeof SessionMessagePartSchema>) => create(SessionMessagePartSchema, init);

const call = part({
  partType: Type.TOOL_CALL,
  name: 'look',
  createdAt: 1_000_000n,
  payloadJson: JSON.stringify({ tool_call_id: 'c1', input: { place: HOSTILE } }),
});

const result = (payload: object, content = 'seen') =>
  part({ partType: Type.TOOL_RESULT, content, createdAt: 1_250_000n, payloadJson: JSON.stringify(payload) });

describe('a tool', () => {
  it('is done, with its time, input and output', () => {
    const html = renderToStaticMarkup(<ToolView call={call} result={result({ is_error: false })} isLive={false} />);
    expect(html).toContain('look');
    expect(html).toContain('250 ms');
    expect(html).toContain('done');
    expect(html).toContain('seen');
  });

  it('has failed', () => {
    const html = renderToStaticMarkup(<ToolView call={call} result={result({ is_error: true })} isLive={false} />);
    expect(html).toContain('failed');
    expect(html).not.toContain('done');
  });

  it('runs while its turn goes on, and is nothing after that', () => {
    expect(renderToStaticMarkup(<ToolView call={call} result={undefined} isLive />)).toContain('running');
    expect(renderToStaticMarkup(<ToolView call={call} result={undefined} isLive={false} />)).not.toContain('running');
  });

  it('says when its output is cut', () => {
    const html = renderToStaticMarkup(<ToolView call={call} result={result({ truncated: true })} isLive={false} />);
    expect(html).toContain('the beginning');
  });
});

it('shows hostile names, inputs and outputs as text', () => {
  const named = part({ ...call, name: HOSTILE });
  const views = [
    <ToolView key="tool" call={named} result={result({ output: { a: HOSTILE } }, HOSTILE)} isLive={false} />,
    <MediaView
      key="media"
      session={{ ns: 'default', agent: 'helper', sessionId: 's1' }}
      message={{ id: 'm1', isLive: false }}
      part={part({ partType: Type.FILE, name: HOSTILE })}
    />,
    <FailureView key="failure" part={part({ partType: Type.ERROR, content: HOSTILE })} />,
  ];
  for (const view of views) {
    const html = renderToStaticMarkup(view);
    expect(html).not.toContain('<img');
    expect(html).toContain(SHOWN);
  }
});

it('counts what a reply took', () => {
  const usage = { calls: 2, inputTokens: 111, outputTokens: 5, costMicros: 120 };
  expect(renderToStaticMarkup(<UsageView usage={usage} />)).toContain('2 model calls, 111 tokens in, 5 out, 0.0001');
});
