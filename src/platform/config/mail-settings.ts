import { isCalendarDay } from '../time/calendar.js';
import { choice, list, optionalText, smtpUrl, text, wholeNumber } from './settings.js';

const WEEKDAY = /^(mon|tue|wed|thu|fri|sat|sun)$/;
const FILE = { expected: 'the path of a file', form: /^[^\0]{1,500}$/ };
const DOMAIN = /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){1,8}$/i;

/** Settings for sending mails, and the hours in which customers receive none. */
export const mailSettings = {
  smtpUrl: smtpUrl({
    name: 'SMTP_URL',
    isCore: true,
    purpose:
      'Mail server: `smtps://` for TLS from the first byte, `smtp://` for STARTTLS (`SMTP_TLS`); in production with TLS unless it is on this machine. Absent: no e-mail is sent, and staff can read the messages through the API',
    example: 'smtps://user:secret@mail.example.com:465',
    isPlaceholder: true,
  }),
  smtpTls: choice(
    {
      name: 'SMTP_TLS',
      purpose:
        'STARTTLS with an `smtp://` server: `required` sends neither mails nor the password without verified TLS, `opportunistic` uses it if the server offers it',
      example: 'required',
      fallback: 'opportunistic',
    },
    ['opportunistic', 'required'],
  ),
  smtpCaFile: optionalText({
    name: 'SMTP_CA_FILE',
    purpose:
      'PEM file of the authorities that may issue the certificate of the mail server; absent: the authorities of Node.js. All files are read at the start',
    example: '/run/secrets/mail-ca.pem',
    ...FILE,
  }),
  smtpCertFile: optionalText({
    name: 'SMTP_CERT_FILE',
    purpose: 'PEM file of the certificate that the mail server identifies this client by, with its chain',
    example: '/run/secrets/mail-client.pem',
    ...FILE,
  }),
  smtpKeyFile: optionalText({
    name: 'SMTP_KEY_FILE',
    purpose: 'PEM file of the private key of SMTP_CERT_FILE, not readable by every user of the machine',
    example: '/run/secrets/mail-client.key',
    ...FILE,
  }),
  dkimSelector: optionalText({
    name: 'DKIM_SELECTOR',
    purpose:
      'Mails are signed with DKIM; receivers find the public key in the TXT record `<DKIM_SELECTOR>._domainkey.<DKIM_DOMAIN>`',
    example: 'travel2026',
    expected: 'letters, digits and dashes, with dots between',
    form: /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){0,3}$/i,
  }),
  dkimDomain: optionalText({
    name: 'DKIM_DOMAIN',
    purpose: 'Domain that signs; absent: the domain of MAIL_FROM',
    example: 'your-company.com',
    expected: 'a domain name',
    form: DOMAIN,
  }),
  dkimKeyFile: optionalText({
    name: 'DKIM_KEY_FILE',
    purpose:
      'PEM file of the RSA private key that signs, of 2048 bits or more, not readable by every user of the machine',
    example: '/run/secrets/dkim.key',
    ...FILE,
  }),
  mailFrom: text({
    name: 'MAIL_FROM',
    isCore: true,
    purpose: 'Sender of e-mails: an address, with or without a name',
    example: 'Acme Tours <office@example.com>',
    isPlaceholder: true,
    fallback: 'no-reply@localhost',
  }),
  bounceDomain: optionalText({
    name: 'BOUNCE_DOMAIN',
    purpose:
      'Domain of the envelope senders `bounces+<token>@<BOUNCE_DOMAIN>`, to which mail servers return what they cannot deliver; absent: the address of MAIL_FROM. Its mail server passes the reports on (docs/operations/mail.md)',
    example: 'bounces.your-company.com',
    isPlaceholder: true,
    expected: 'a domain name',
    form: DOMAIN,
  }),
  bounceReportSecret: optionalText({
    name: 'BOUNCE_REPORT_SECRET',
    purpose:
      'Bearer token of those who report returned mails: the mail server of BOUNCE_DOMAIN, or the provider of SMTP_URL; absent: reports are not accepted',
    example: 'output-of-openssl-rand-base64-32',
    isPlaceholder: true,
    expected: '32 to 200 visible ASCII characters',
    form: /^[\x21-\x7e]{32,200}$/,
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
