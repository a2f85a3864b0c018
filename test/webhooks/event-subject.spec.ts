import { describe, expect, it } from '@jest/globals';
import { domainEvents } from '../../src/bootstrap/domain-events.js';
import { subjectMembers, subjectOf } from '../../src/modules/webhooks/deliveries/event-subject.js';

/** These events are about a setting, a period or a slice of the catalog, so their channel is their subject. */
const WITHOUT_ID = [
  'catalog.slice.changed',
  'finance_settings.replaced',
  'organization_profile.updated',
  'organization_settings.updated',
  'payment_policy.replaced',
  'period.closed',
  'period.filed',
  'period.reopened',
];

const membersOf = (event: string) =>
  domainEvents.filter(({ events }) => events.includes(event)).flatMap(({ members }) => members);

describe('the subject of an event', () => {
  it('is a member for each declared event but the listed ones', () => {
    const events = [...new Set(domainEvents.flatMap(({ events: names }) => names))];
    const without = events.filter((event) => subjectMembers(event, membersOf(event)).length === 0);
    expect(without.sort()).toEqual(WITHOUT_ID);
  });

  it.each([
    ['booking.departure_not_followed', 'bookingId'],
    ['booking.settled', 'bookingId'],
    ['departure.changed', 'departureId'],
    ['contract.signed', 'contractReference'],
    ['bulk_operation.progressed', 'bulkOperationId'],
    ['invoice.issued', 'invoiceId'],
    ['payment_schedule.paid', 'scheduleId'],
    ['policy_assignment.created', 'assignmentId'],
  ])('of %s is its %s', (event, member) => {
    expect(subjectMembers(event, membersOf(event))[0]).toBe(member);
  });

  it('is the next member if the first is null, and none without a value', () => {
    const members = ['bookingId', 'contractReference'];
    expect(subjectOf('contract.sent', members, { contractReference: null, bookingId: 'bk_1' })).toBe('bk_1');
    expect(subjectOf('contract.sent', members, { contractReference: 1, bookingId: null })).toBeNull();
  });
});
