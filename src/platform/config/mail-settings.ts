import { isCalendarDay } from '../time/calendar.js';
import { list, optionalText, smtpUrl, text, wholeNumber } from './settings.js';

const WEEKDAY = /^(mon|tue|wed|thu|fri|sat|sun)$/;

/** How mails are sent, and the hours in which customers receive none. */
export const mailSettings = {
  smtpUrl: smtpUrl({
    name: 'SMTP_URL',
    purpose:
      'Mail server, in production with TLS unless it is on this machine; absent: no e-mail is sent, and staff can read the messages through the API',
    example: 'smtps://user:secret@mail.example.com:465',
    isPlaceholder: true,
  }),
  mailFrom: text({
    name: 'MAIL_FROM',
    purpose: 'Sender of e-mails: an address, with or without a name',
    example: 'Acme Tours <office@example.com>',
    isPlaceholder: true,
    fallback: 'no-reply@localhost',
  }),
  accountLinkUrl: optionalText({
    name: 'ACCOUNT_LINK_URL',
    purpose:
      'Page of the back-office web app to which invitations and password resets lead; the one-time token follows as `#invitation=` or `#password-reset=`; absent: `/account` under BASE_URL',
    example: 'https://office.example.com/account',
    isPlaceholder: true,
    expected: 'an http or https URL without a query and a fragment',
    form: /^https?:\/\/[^\s?#]{1,300}$/,
  }),
  quietHours: optionalText({
    name: 'QUIET_HOURS',
    purpose: 'Hours without reminders, in ORG_TIME_ZONE; absent: none',
    example: '21:00-08:00',
    expected: 'HH:MM-HH:MM',
    form: /^([01][0-9]|2[0-3]):[0-5][0-9]-([01][0-9]|2[0-3]):[0-5][0-9]$/,
  }),
  blackoutDays: list({
    name: 'BLACKOUT_DAYS',
    purpose: 'Days without reminders: weekdays, annual dates, single dates',
    example: 'sat,sun,12-25,2027-04-02',
    fallback: '',
    expected: 'a list of mon to sun, MM-DD and YYYY-MM-DD',
    check: (entry) => (isBlackoutDay(entry) ? null : `names '${entry}', which is not one of these`),
  }),
  remindersPerDay: wholeNumber({
    name: 'REMINDERS_PER_DAY',
    purpose: 'Maximum number of reminders per recipient and day',
    example: '3',
    fallback: '10',
    min: 1,
    max: 1000,
  }),
};

function isBlackoutDay(entry: string): boolean {
  // 2028 has a 29th of February.
  return WEEKDAY.test(entry) || isCalendarDay(`2028-${entry}`) || isCalendarDay(entry);
}
