const finance = '/v1/admin/finance';
const schedulesPath = `${finance}/bookings/{bookingId}/payment-schedules`;
const planPath = `${finance}/bookings/{bookingId}/collection-plan`;

/** How bookings are paid for: policy, collection plan, installments. */
export function collecting(mark) {
  return {
    'staff: payment policy': paymentPolicy,
    'staff: collection plan and installments': (service, credentials) => collection(service, credentials, mark),
  };
}

const steps = [
  { label: 'Deposit', type: 'deposit', percentBasisPoints: 3000, anchor: 'booking', offsetDays: 0 },
  { label: 'Balance', type: 'balance', remainder: true, anchor: 'departure', offsetDays: -30 },
];

async function paymentPolicy(service, { staff: { token } }) {
  const path = `${finance}/payment-policy`;
  const body = { steps, minimumDays: 45, floorDays: 3, noDateDays: 14 };
  await service.call(`PUT ${path}`, { token, body });
  const { body: read } = await service.call(`GET ${path}`, { token });
  service.same('the policy is read as it was set', read.data.minimumDays, 45);
  await service.call(`PUT ${path}`, { token, body: { steps: steps.slice(0, 1) }, expect: 422 });
}

async function collection(service, { staff: { token } }, mark) {
  const wanted = { customerName: `Smoke ${mark}`, currency: 'EUR', startDate: '2199-06-01', paymentPolicy: { steps } };
  const { body: booking } = await service.call('POST /v1/admin/bookings', { token, body: wanted, expect: 201 });
  const params = { bookingId: booking.data.id };
  await service.call(`POST ${planPath}`, { params, token, expect: 409 });
  const item = { type: 'unit', title: 'Seat', unitSellCents: 100_001 };
  await service.call('POST /v1/admin/bookings/{bookingId}/items', { params, token, body: item, expect: 201 });

  const { body: seen } = await service.call(`POST ${planPath}`, { params, token, body: { materialize: false } });
  service.same('a preview stores nothing', [seen.data.materialized, seen.data.entries[0].scheduleId], [false, null]);
  const { body: plan } = await service.call(`POST ${planPath}`, { params, token });
  const amounts = plan.data.entries.map(({ amountCents }) => amountCents);
  service.same('the plan adds up to the cent', amounts, [30_000, 70_001]);
  const { body: again } = await service.call(`POST ${planPath}`, { params, token });
  service.same('it is stored once', again.data.entries, plan.data.entries);

  const { body: listed } = await service.call(`GET ${schedulesPath}`, { params, token });
  const [deposit, balance] = listed.data;
  const one = { ...params, scheduleId: deposit.id };
  await service.call(`PATCH ${schedulesPath}/{scheduleId}`, { params: one, token, body: { amountCents: 40_000 } });
  const added = { label: 'Visa', dueDate: '2199-01-01', amountCents: 1 };
  await service.call(`POST ${schedulesPath}`, { params, token, body: added, expect: 201 });
  await service.call(`PATCH ${schedulesPath}/{scheduleId}`, { params: one, token, body: { status: 'paid' } });
  const { body: paid } = await service.call(`GET ${schedulesPath}/{scheduleId}`, { params: one, token });
  service.same('an installment is paid by a patch', [paid.data.status, paid.data.paidCents], ['paid', 40_000]);
  const rest = { params: { ...params, scheduleId: balance.id }, token };
  const { body: left } = await service.call(`GET ${schedulesPath}/{scheduleId}`, rest);
  service.same('the balance gave what the others took', left.data.amountCents, 60_000);
}
