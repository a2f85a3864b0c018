import { describe, expect, it } from '@jest/globals';
import { QueryFailedError } from 'typeorm';
import { loggedError } from './log.js';

describe('an error in the log', () => {
  it('a logged error of a statement contains neither its parameters nor the rejected row', () => {
    const said = Object.assign(new Error('null value in column "name"'), {
      code: '23502',
      constraint: 'users_name',
      detail: 'Failing row contains (user_1, secret).',
    });
    const logged = loggedError(new QueryFailedError('insert into users values ($1)', ['secret'], said));
    expect(JSON.stringify(logged)).not.toContain('secret');
    expect(logged).toMatchObject({
      type: 'QueryFailedError',
      code: '23502',
      constraint: 'users_name',
      cause: { type: 'Error', code: '23502', stack: expect.stringMatching(/\n +at /) },
    });
  });

  it('a logged error of a value that the database rejected does not quote the value', () => {
    const thrown = Object.assign(new Error('invalid input syntax for type date: "1 January, Clara"'), {
      code: '22007',
    });
    const logged = loggedError(new QueryFailedError('select $1::date', ['1 January, Clara'], thrown));
    expect(JSON.stringify(logged)).not.toContain('Clara');
    expect(logged).toMatchObject({ code: '22007', cause: { stack: expect.stringMatching(/^ +at /) } });
  });

  it('a logged error contains up to three causes, also if they are circular', () => {
    const error = new Error('round');
    error.cause = error;
    expect(JSON.stringify(loggedError(error)).match(/"message":"round"/g)).toHaveLength(4);
  });

  it('a thrown value that is not an error is logged', () => {
    expect(loggedError('broken')).toEqual({ type: 'string', message: 'broken', stack: null });
  });
});
