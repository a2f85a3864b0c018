/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { CONTRACTS, contractIn, declareVoid, dispatch, eventsOf, ledgerOf, mailsOf, read } from './contracts.js';

const RECIPIENT = { recipientName: 'Clara Ionescu', recipientEmail: 'clara@example.com' };

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

describe('dispatching', () => {
  it('a dispatch adds a mail and stores address and time', async () => {
    const { id } = await contractIn(app, 'issued', { ...RECIPIENT, language: 'ro' });
    const text = { subject: 'Your contract', message: 'Dear Clara,\nhere it is.' };
    const { body } = await dispatch(app, id, { recipientEmail: 'other@example.com', ...text });

    expect(body.data).toMatchObject({ status: 'sent', recipientEmail: 'other@example.com' });
    expect(body.data['sentAt']).toBe(body.data['updatedAt']);
    expect(await mailsOf(app, id)).toEqual([
      {
        recipient: 'other@example.com',
        subject: 'Your contract',
        text: 'Bună ziua, Clara Ionescu,\n\nDear Clara,\nhere it is.\n\n{{link}}\n\nDemo Travel',
      },
    ]);
  });

  it('a dispatch without an address uses the recipient of the contract', async () => {
    const { id } = await contractIn(app, 'issued', RECIPIENT);
    await dispatch(app, id);

    expect(await mailsOf(app, id)).toMatchObject([{ recipient: 'clara@example.com', subject: 'Travel contract' }]);
  });

  it('a dispatch without any address is 409, leaves the contract issued and adds no mail', async () => {
    const { id } = await contractIn(app, 'issued');
    const answer = await dispatch(app, id, {});

    expect(answer.status).toBe(409);
    expect(answer.body).toEqual({
      error: 'The contract has no recipient e-mail address',
      code: 'no_recipient',
      requestId: answer.headers['x-request-id'],
    });
    expect((await read(app, id)).status).toBe('issued');
    expect(await mailsOf(app, id)).toEqual([]);
  });

  it('a second dispatch changes nothing and sends nothing', async () => {
    const sent = await contractIn(app, 'sent', RECIPIENT);
    const { status, body } = await dispatch(app, sent.id, { recipientEmail: 'other@example.com' });

    expect(status).toBe(200);
    expect(body.data).toEqual(sent);
    expect(await mailsOf(app, sent.id)).toHaveLength(1);
    expect(await ledgerOf(app, sent.id)).toHaveLength(3);
  });

  it('a second dispatch with resend sends the mail again with a ledger entry and without an event', async () => {
    const sent = await contractIn(app, 'sent', RECIPIENT);
    const { body } = await dispatch(app, sent.id, { resend: true });

    expect(body.data).toMatchObject({ status: 'sent', sentAt: sent['sentAt'], version: sent.version + 1 });
    expect(await mailsOf(app, sent.id)).toHaveLength(2);
    expect((await ledgerOf(app, sent.id)).map(({ action }) => action).slice(2)).toEqual([
      'legal.contract.send',
      'legal.contract.send',
    ]);
    await declareVoid(app, sent.id);
    const events = (await eventsOf(app, sent.id, 3)).map(({ event }) => event);
    expect(events).toEqual(['contract.issued', 'contract.sent', 'contract.voided']);
  });

  it('concurrent dispatches send one mail', async () => {
    const { id } = await contractIn(app, 'issued', RECIPIENT);
    const answers = await Promise.all(Array.from({ length: 8 }, () => dispatch(app, id)));

    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    expect(await mailsOf(app, id)).toHaveLength(1);
  });

  it('dispatches with one Idempotency-Key resend once', async () => {
    const { id } = await contractIn(app, 'sent', RECIPIENT);
    const again = () =>
      app.as('owner').post(
        `${CONTRACTS}/${id}/dispatch`,
        { resend: true },
        {
          headers: { 'Idempotency-Key': `resend-${id}` },
        },
      );
    expect((await again()).status).toBe(200);
    expect((await again()).headers['idempotent-replayed']).toBe('true');
    expect(await mailsOf(app, id)).toHaveLength(2);
  });

  it('an invalid dispatch is rejected with 400 and sends nothing', async () => {
    const { id } = await contractIn(app, 'issued', RECIPIENT);
    const body = { bcc: 'spy@example.com' };
    const answer = await app.as('owner').post<{ details: { fields: object } }>(`${CONTRACTS}/${id}/dispatch`, body);

    expect(answer.status).toBe(400);
    expect(answer.body.details.fields).toEqual({ bcc: ['bcc is not recognized'] });
    expect(await mailsOf(app, id)).toEqual([]);
  });

  it('a dispatch that runs concurrently with the voiding sends before it or not at all', async () => {
    const { id } = await contractIn(app, 'issued', RECIPIENT);
    const [voided, sent] = await Promise.all([declareVoid(app, id), dispatch(app, id)]);

    expect(voided.status).toBe(200);
    expect([200, 409]).toContain(sent.status);
    expect(await mailsOf(app, id)).toHaveLength(sent.status === 200 ? 1 : 0);
    expect((await read(app, id)).status).toBe('void');
  });
});
