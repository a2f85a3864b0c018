import { wholeNumber } from './settings.js';

/** For how long personal data is kept; docs/personal-data.md names the classes. */
export const retentionSettings = {
  accountingRetentionYears: wholeNumber({
    name: 'ACCOUNTING_RETENTION_YEARS',
    purpose:
      'Years after the end of the year of a change when its states before and after are erased from the action ledger; not below what the law requires for bookkeeping',
    example: '8',
    fallback: '10',
    min: 5,
    max: 100,
  }),
  contractRetentionMonths: wholeNumber({
    name: 'CONTRACT_RETENTION_MONTHS',
    purpose: 'Months after the last service when the customer and free texts of a booking and its contracts are erased',
    example: '60',
    fallback: '36',
    min: 1,
    max: 1200,
  }),
  contactRetentionMonths: wholeNumber({
    name: 'CONTACT_RETENTION_MONTHS',
    purpose: 'Months after the last change when the titles and travelers of a trip that was not booked are erased',
    example: '24',
    fallback: '36',
    min: 1,
    max: 1200,
  }),
  messageRetentionMonths: wholeNumber({
    name: 'MESSAGE_RETENTION_MONTHS',
    purpose: 'Months after which the recipient, subject and text of sent messages are erased',
    example: '12',
    fallback: '24',
    min: 1,
    max: 1200,
  }),
};
