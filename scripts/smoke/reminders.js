const rules = '/v1/admin/notifications/reminder-rules';
const runs = '/v1/admin/finance/bookings/{bookingId}/reminder-runs';

/** A rule from its making to its end, and the reminders of a booking. */
export function reminders(mark) {
  return {
    'staff: reminders': async (service, { staff: { token } }) => {
      const body = {
        name: `Smoke ${mark}`,
        trigger: 'departure_upcoming',
        stages: [{ offsetDays: -3, channels: [{ channel: 'email', mark }] }],
      };
      const { body: rule } = await service.call(`POST ${rules}/compose`, { token, body, expect: 201 });
      service.same('channels come back as they were sent', rule.stages[0].channels, body.stages[0].channels);
      const params = { id: rule.id };
      await service.call(`GET ${rules}`, { token, query: `?search=${mark}` });
      await service.call(`PATCH ${rules}/{id}`, { params, token, body: { enabled: false } });
      const { body: read } = await service.call(`GET ${rules}/{id}`, { params, token });
      service.same('the rule is disabled', read.data.enabled, false);
      const { body: simulated } = await service.call(`POST ${rules}/{id}/simulations`, {
        params,
        token,
        body: { date: '2027-05-18' },
      });
      service.same(
        'a rule that is disabled sends nothing',
        simulated.data.reminders.filter(({ sends }) => sends),
        [],
      );

      await service.call('GET /v1/admin/notifications/messages', { token });
      const { body: booking } = await service.call('GET /v1/admin/bookings', { token, query: '?limit=1' });
      const { body: list } = await service.call(`GET ${runs}`, { params: { bookingId: booking.data[0].id }, token });
      service.same('a list of reminders holds data and total', Object.keys(list), ['data', 'total']);
    },
  };
}
