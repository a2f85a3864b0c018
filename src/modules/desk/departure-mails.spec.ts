import { describe, expect, it } from '@jest/globals';
import { DOCUMENT_LANGUAGES } from '../organization/index.js';
import { callOffMail } from './call-offs/call-off-mail.js';
import { waitingOfferMail } from './waiting-list/waiting-offer-mail.js';

const FACTS = {
  bookingNumber: 'B-7',
  tour: 'Lake {time}',
  departure: { startDate: '2127-05-12', startsAt: new Date('2127-05-12T06:00:00Z'), timeZone: 'Europe/Bucharest' },
  target: { startDate: '2127-05-19', startsAt: new Date('2127-05-19T11:00:00Z'), timeZone: 'Europe/Bucharest' },
  isWhole: true,
  note: 'Call us {day}',
};
const MONEY = { currency: 'EUR', refundedCents: 11_800, creditedCents: 5_900, openCents: 100 };
const OFFER = {
  product: 'Lake {start}',
  departure: { startsAt: new Date('2127-05-12T06:00:00Z'), timeZone: 'Europe/Bucharest' },
  seats: 3,
  expiresAt: new Date('2127-05-10T15:30:00Z'),
};

describe.each(DOCUMENT_LANGUAGES)('the mails about departures in %s', (language) => {
  it.each(['move', 'keep', 'release', 'cancel'] as const)(
    'names all facts of a call-off with the action %s',
    (action) => {
      const { subject, paragraphs } = callOffMail({ action, reprice: false, ...MONEY }, FACTS, language);

      expect(subject).toMatch(/B-7.*2127/);
      expect(paragraphs[0]).toMatch(/Lake \{time\}.*12.*2127.*9:00.*B-7/);
      expect(paragraphs.at(-1)).toBe('Call us {day}');
      expect([subject, ...paragraphs.slice(1, -1)].join('\n')).not.toMatch(/[{}]|undefined/);
      if (action === 'move') expect(paragraphs[1]).toMatch(/19.*2127.*(14:00|2:00\sPM)/);
      if (action === 'cancel') expect(paragraphs.join('\n')).toMatch(/118[.,]00[^]*59[.,]00/);
    },
  );

  it('a trip without a booking and a part of a booking have texts of their own', () => {
    const release = { action: 'release', reprice: false, ...MONEY } as const;
    const part = { action: 'cancel', reprice: false, ...MONEY } as const;

    const unnamed = callOffMail(release, { ...FACTS, tour: null }, language).paragraphs[0];
    expect(unnamed).toMatch(/B-7.*12.*2127.*9:00/);
    expect(unnamed).not.toMatch(/[{}]|\bnull\b/);
    expect(callOffMail(release, { ...FACTS, bookingNumber: null }, language).subject).not.toMatch(/B-7|\bnull\b/);
    const [whole, some] = [true, false].map(
      (isWhole) => callOffMail(part, { ...FACTS, isWhole }, language).paragraphs[1],
    );
    expect(some).not.toBe(whole);
  });

  it('names the places, the times at the departure and the end of an offer', () => {
    const { subject, paragraphs } = waitingOfferMail(OFFER, language);

    expect(subject).toMatch(/Lake \{start\}.*2127.*9:00/);
    expect(paragraphs[0]).toMatch(/3 \p{L}+/u);
    expect(paragraphs[1]).toMatch(/10.*2127.*(18:30|6:30\sPM).*Europe\/Bucharest/);
    expect(paragraphs[2]).toBe('{{link}}');
    expect(waitingOfferMail({ ...OFFER, product: null, seats: 1 }, language).paragraphs[0]).toMatch(/1 \p{L}+/u);
  });
});
