import { describe, expect, it } from '@jest/globals';
import { asSystem, currentContext, type Span, type SpanOutcome } from '../context/request-context.js';
import { type TracedWork, traceStatements } from './tracer.js';

/** A tracer that stores its input. */
function recorder() {
  const started: { work: TracedWork; outcome: SpanOutcome | null }[] = [];
  const span = (isRecorded: boolean, end: Span['end'] = () => undefined): Span => ({
    traceId: '1',
    spanId: '2',
    traceparent: '',
    isRecorded,
    end,
  });
  const start = (work: TracedWork) => {
    const entry: (typeof started)[number] = { work, outcome: null };
    started.push(entry);
    return span(true, (outcome = {}) => (entry.outcome = outcome));
  };
  return { started, span, trace: traceStatements({ start, receive: start }) };
}

const run = <T>(span: Span | null, work: () => T): T =>
  asSystem(() => {
    if (span) currentContext().span = span;
    return work();
  });

describe('the span of a statement', () => {
  it('the span of a statement has its text without literals, and no parameters', async () => {
    const { started, span, trace } = recorder();
    const text = `select * from users where name = $1 and kind = 'it''s' and note = ''`;
    await run(span(true), () => trace({ name: 'users-find', text }, async () => 1));
    await run(span(true), () => trace({ text: ` begin; set local app.now = '2026-11-23'` }, async () => 1));
    expect(started.map(({ work }) => [work.name, work.attributes['db.query.text']])).toEqual([
      ['users-find', `select * from users where name = $1 and kind = '?''?' and note = '?'`],
      ['begin', ` begin; set local app.now = '?'`],
    ]);
    expect(started.map(({ outcome }) => outcome)).toEqual([{}, {}]);
  });

  it('the span of a failed statement has the code of its error, and not its message', async () => {
    const { started, span, trace } = recorder();
    const error = Object.assign(new Error('Clara'), { code: '23505' });
    await expect(run(span(true), () => trace({ text: 'select 1' }, () => Promise.reject(error)))).rejects.toBe(error);
    expect(started[0]?.outcome).toEqual({ errorType: '23505' });
  });

  it('a statement is sent before the call returns, so that statements keep their order', () => {
    const { span, trace } = recorder();
    const sent: number[] = [];
    run(span(true), () => {
      for (const n of [1, 2]) void trace({ text: 'select' }, async () => sent.push(n));
    });
    expect(sent).toEqual([1, 2]);
  });

  it('a statement has no span outside of recorded work', async () => {
    const { started, span, trace } = recorder();
    const send = async () => 1;
    expect(await trace({ text: 'select 1' }, send)).toBe(1);
    expect(await run(null, () => trace({ text: 'select 1' }, send))).toBe(1);
    expect(await run(span(false), () => trace({ text: 'select 1' }, send))).toBe(1);
    expect(started).toEqual([]);
  });
});
