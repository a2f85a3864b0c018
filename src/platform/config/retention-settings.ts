import { wholeNumber } from './settings.js';

/** For how long personal data is kept; docs/personal-data.md names the classes. */
export const retentionSettings = {
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
