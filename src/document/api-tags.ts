import type { ApiTag } from '../platform/openapi/document.js';

/** The groups of operations in the API document, in its order: by surface, then as the trade works. */
export const apiTags: readonly ApiTag[] = [
  {
    name: 'Storefront',
    description: 'Operations for website visitors, without a credential: catalog search, contracts and signed links.',
  },
  {
    name: 'Bookings',
    description: 'Staff: bookings and their items, from the draft to confirmation and cancellation.',
  },
  {
    name: 'Trips',
    description:
      'Staff: tailor-made trips. An envelope collects components, is priced, reserved and turned into a booking.',
  },
  {
    name: 'Invoices',
    description: 'Staff: customer invoices, their printed renditions and the number series that they are issued from.',
  },
  {
    name: 'Payment schedules',
    description: 'Staff: installments of a booking, the policy that they follow, and the reminders of due amounts.',
  },
  {
    name: 'Cancellation settlements',
    description: 'Staff: fees of cancelled bookings, and how invoices and payments of these bookings are settled.',
  },
  {
    name: 'Payments',
    description:
      'Staff: money received from customers or sent to suppliers, and its allocation to installments and invoices.',
  },
  {
    name: 'Supplier invoices',
    description: 'Staff: invoices received from suppliers, from the draft to approval, payment or voiding.',
  },
  { name: 'Tax codes', description: 'Staff: tax codes of countries, with their rates over time.' },
  { name: 'Commissions', description: 'Staff: commissions on booking items, from accrual to payout.' },
  {
    name: 'Organization',
    description:
      'Staff: the company as documents show it, its logo, and settings of the organization and its accounts.',
  },
  { name: 'Accounting periods', description: 'Staff: months of the books, which are closed, reopened and filed.' },
  { name: 'Finance reports', description: 'Staff: receivables and payables by age, and accounting checks.' },
  {
    name: 'Channels and allotments',
    description: 'Staff: distribution channels, and the units of departures that they may sell.',
  },
  { name: 'Departures', description: 'Staff: dated departures of a product, their capacity and their cancellation.' },
  {
    name: 'Facilities and ground operators',
    description: 'Staff: places where services are delivered, and the companies that deliver them.',
  },
  {
    name: 'Contracts',
    description: 'Staff: contracts with customers and partners, from the draft to dispatch, expiry or voiding.',
  },
  {
    name: 'Policies',
    description: 'Staff: cancellation, payment and other terms, their versions, and what they are assigned to.',
  },
  {
    name: 'Notifications',
    description: 'Staff: reminder rules, their simulation, and the messages sent to customers.',
  },
  { name: 'Catalog', description: 'Staff: search documents, synonyms and the state of the search index.' },
  { name: 'Users and sessions', description: 'Staff: users, sessions and API tokens of the staff surface.' },
  {
    name: 'Action ledger',
    description: 'Staff: the tamper-evident record of every change, and the reversal of recorded actions.',
  },
  {
    name: 'Connect: Operators and grants',
    description: 'Connect: operators that partners act for, and the permissions granted to each of them.',
  },
  { name: 'Connect: OAuth clients', description: 'Connect: OAuth 2.0 clients of an operator and their secrets.' },
  {
    name: 'Connect: OAuth tokens',
    description: 'Connect: access tokens by client credentials, their introspection and revocation, server metadata.',
  },
  {
    name: 'Connect: Connector providers',
    description: 'Connect: providers of products that operators can connect to.',
  },
  { name: 'Vault', description: 'Vault: encryption of single values, and the versions of the key of each vault.' },
  {
    name: 'Realtime',
    description: 'Realtime: messages of a channel, read in pages or received as Server-Sent Events.',
  },
  { name: 'Reference data', description: 'Data: languages, and the languages of hotel reviews.' },
];
