import { describe, expect, it } from '@jest/globals';
import { DOCUMENT_LANGUAGES } from '../../organization/index.js';
import type { DueTarget } from '../targets/reminder-source.js';
import { LIVE_TRIGGERS } from '../targets/reminder-trigger.js';
import { reminderMail } from './built-in-mails.js';

const account = { holder: 'Delta Tours', iban: 'DE02 1203 0000 0000 2020 51', bic: 'BYLADEM1001', isDefault: true };
const company = {
  ...{ name: 'Delta Tours', email: null, phone: null, website: null },
  bankAccounts: [{ ...account, currency: 'EUR' }],
};
const target = (terms: Partial<DueTarget> = {}): DueTarget => ({
  ...{ trigger: 'deposit_due', targetId: 'pay_1', bookingId: 'book_1', anchorDate: '2027-05-29' },
  ...{ bookingNumber: 'B-1', customerName: 'Uta {number}', customerEmail: null },
  ask: { cents: 123_450, currency: 'EUR' },
  ...terms,
});

describe('a built-in mail', () => {
  it('a mail about a payment has the amount and the day as its readers write them, and the account in the currency', () => {
    expect(reminderMail('deposit_due', { target: target(), company }, 'de')).toEqual({
      subject: 'Anzahlung für Buchung B-1, fällig am 29. Mai 2027',
      text: [
        'Guten Tag Uta {number},',
        'am 29. Mai 2027 wird für Ihre Buchung B-1 folgender Betrag fällig: 1.234,50\u00a0€.',
        'Bitte überweisen Sie auf das Konto Delta Tours, DE02 1203 0000 0000 2020 51, BYLADEM1001 und geben Sie als Verwendungszweck die Buchungsnummer B-1 an.',
        'Delta Tours',
      ].join('\n\n'),
    });
    const dollars = target({ ask: { cents: 100, currency: 'USD' } });
    expect(reminderMail('balance_due', { target: dollars, company }, 'en').text).not.toContain(account.iban);
  });

  it('a moved departure has both days, and a mail that asks for nothing has no account', () => {
    const moved = target({ ask: null, moved: { from: '2027-06-01', to: '2027-06-03', departures: [] } });
    const { text } = reminderMail('departure_changed', { target: moved, company }, 'en');
    expect(text).toContain('your trip B-1 departs on June 3, 2027 instead of June 1, 2027.');
    expect(text).not.toContain(account.iban);
    const ofDay = (hour: number) => ({ startsAt: new Date(`2027-06-03T${hour}:00:00Z`), place: 'Pier 1' });
    const departure = {
      title: 'Whale watching',
      timeZone: 'Europe/Paris',
      from: { ...ofDay(12), place: null },
      to: ofDay(14),
    };
    const later = target({ ask: null, moved: { from: '2027-06-03', to: '2027-06-03', departures: [departure] } });
    expect(reminderMail('departure_changed', { target: later, company }, 'fr').text).toContain(
      'Le départ de votre voyage B-1 a changé.\n\n' +
        'Whale watching\nDébut\u00a0: 3 juin 2027 à 16:00 (auparavant 3 juin 2027 à 14:00)\nPoint de rendez-vous\u00a0: Pier 1',
    );
    const unknown = reminderMail('departure_changed', { target: target({ ask: null }), company }, 'en');
    expect(unknown.text).toContain('the departure of your trip B-1 has changed.');
  });

  it.each(DOCUMENT_LANGUAGES)('every trigger has texts in the language %s, without an open placeholder', (language) => {
    for (const trigger of LIVE_TRIGGERS) {
      const { subject, text } = reminderMail(trigger, { target: target({ customerName: 'Uta' }), company }, language);
      expect([trigger, subject, text]).toEqual([
        trigger,
        expect.stringContaining('B-1'),
        expect.stringContaining('B-1'),
      ]);
      expect(`${subject} ${text}`).not.toMatch(/[{}]/);
    }
  });
});
