import { wholeNumber } from './settings.js';

/** For how long personal data is kept; docs/personal-data.md names the classes. */
export const retentionSettings = {
  contractRetentionMonths: wholeNumber({
    name: 'CONTRACT_RETENTION_MONTHS',
    purpose: 'Months after the last service when the customer and free texts of a booking are erased',
    example: '60',
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
