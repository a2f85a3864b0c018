import { ledgerEvents } from './modules/action-ledger/index.js';
import { bookingEvents } from './modules/bookings/index.js';
import { catalogEvents } from './modules/catalog/index.js';
import { distributionEvents } from './modules/distribution/index.js';
import { financeEvents } from './modules/finance/index.js';
import { legalEvents } from './modules/legal/index.js';
import { notificationEvents } from './modules/notifications/index.js';
import { operationsEvents } from './modules/operations/index.js';
import { tripEvents } from './modules/trips/index.js';
import type { EventGroup } from './platform/outbox/event-group.js';

/** Whatever the modules tell. What does not stand here cannot be told: the outbox refuses it. */
export const domainEvents: readonly EventGroup[] = [
  ...ledgerEvents,
  ...bookingEvents,
  ...catalogEvents,
  ...distributionEvents,
  ...financeEvents,
  ...legalEvents,
  ...notificationEvents,
  ...operationsEvents,
  ...tripEvents,
];

const INTRODUCTION = `# What can be followed

Written by \`npm run docs\` from what the modules declare; a test makes each of these events happen and reads it back from its
channels.

Every change on the staff surface that others may want to know of appears as a message of the realtime surface a moment after
its commit: \`GET /realtime/v1/channels/{channel}/messages\` is the history of a channel (72 hours, at most 10,000 messages),
\`GET /realtime/v1/channels/{channel}/events\` follows it live. Both ask for the scope \`realtime:subscribe\`.

A message's \`event\` is the name below, and its \`data\` holds the facts below and \`id\`, by which an event that comes twice on a
channel is known (on each of several channels it has another one). Events carry ids and figures, no personal data; whoever needs
more reads the thing itself. In the name of a channel \`{fact}\` stands for that fact of the event; an event in which it is null
does not appear there.

Channels belong to nobody: whoever holds \`realtime:publish\` may publish on any of them, on these too. Give that scope to partners
whom you trust with that, and let nothing of consequence follow from a message alone: it says where to look.
`;

/** The table of events as Markdown. */
export function eventTable(): string {
  const rows = domainEvents.flatMap(({ channels, events, facts }) =>
    events.map((event) => [code([event]), code(channels), code(facts)].join(' | ')),
  );
  return [INTRODUCTION, '| Event | Channels | Facts |', '|---|---|---|', ...rows.map((row) => `| ${row} |`), ''].join(
    '\n',
  );
}

function code(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(', ');
}
