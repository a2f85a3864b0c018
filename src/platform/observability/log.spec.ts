import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { asSystem, currentContext } from '../context/request-context.js';
import { createLog } from './log.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

function logged(write: (log: ReturnType<typeof createLog>) => void, traced = false): Record<string, unknown> {
  const lines: string[] = [];
  write(createLog('debug', { write: (line) => void lines.push(line) }, { service: 'office', traced }));
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? '') as Record<string, unknown>;
}

describe('a line of the log', () => {
  it.each(['debug', 'info', 'warn', 'error', 'fatal'] as const)('a line of level %s has its name', (level) => {
    const time = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/);
    const line = { level, time, service: 'office', version, msg: 'text' };
    expect(logged((log) => log[level]('text'))).toEqual(line);
    expect(logged((log) => log.child({ worker: 2 })[level]('text'))).toEqual({ ...line, worker: 2 });
  });

  it('a line has the trace of its request only if traces are on', () => {
    const span = { traceId: 'a', spanId: 'b', traceparent: '', isRecorded: true, end: () => undefined };
    const inRequest = (log: ReturnType<typeof createLog>) =>
      asSystem(() => {
        currentContext().span = span;
        log.info('text');
      });
    expect(logged(inRequest, true)).toMatchObject({ trace_id: 'a', span_id: 'b' });
    expect(logged((log) => log.info('text'), true)).not.toHaveProperty('trace_id');
    expect(logged(inRequest)).not.toHaveProperty('trace_id');
  });
});
