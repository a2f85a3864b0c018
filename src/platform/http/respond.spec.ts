import { describe, expect, it } from '@jest/globals';
import { Id, Nullable, Optional, Whole } from './fields.js';
import { respond } from './respond.js';
import { Instant } from './trade-fields.js';

class Summary {
  @Id('room')
  id: string;

  @Nullable()
  @Instant()
  openedAt: string | null;
}

class Response extends Summary {
  @Whole({ min: 0, max: 9 })
  beds: number;

  @Optional()
  @Whole({ min: 0, max: 9 })
  free?: number;
}

const row = { id: 'room_1', openedAt: new Date(0), beds: 2, keyCode: '4711' };

describe('a response to a row', () => {
  it('contains the members that its class and the base classes declare, and nothing else of the row', () => {
    expect(respond(Response, row)).toEqual({ id: 'room_1', openedAt: '1970-01-01T00:00:00.000Z', beds: 2 });
    expect(respond(Summary, { ...row, openedAt: null })).toEqual({ id: 'room_1', openedAt: null });
  });

  it('contains computed members instead of those of the row', () => {
    expect(respond(Response, row, { beds: 3, free: 0 })).toMatchObject({ beds: 3, free: 0 });
  });

  it('must be given the members that the row lacks', () => {
    // Does not compile if they may be left out.
    const mustBeGiven: 2 extends Parameters<typeof respond<Response, Summary>>['length'] ? false : true = true;
    expect(mustBeGiven).toBe(true);
    const given = respond(Response, { id: 'room_1', openedAt: null }, { beds: 1 });
    expect(given).toEqual({ id: 'room_1', openedAt: null, beds: 1 });
  });
});
