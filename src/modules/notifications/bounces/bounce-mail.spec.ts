import { describe, expect, it } from '@jest/globals';
import { bounceKindOf, readBounceMail } from './bounce-mail.js';

const TOKEN = '01k0dem000e00000000000001'.padEnd(51, '7');
const ADDRESS = `bounces+${TOKEN}@bounces.example.com`;

/** A report as Postfix writes it. */
const report = (groups: string, { headers = `To: ${ADDRESS}`, type = 'message/delivery-status' } = {}) =>
  Buffer.from(
    [
      'From: MAILER-DAEMON@mx.example.org (Mail Delivery System)',
      headers,
      'Subject: Undelivered Mail Returned to Sender',
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=delivery-status; boundary="b1"',
      '',
      '--b1',
      'Content-Type: text/plain; charset=us-ascii',
      '',
      'I am sorry to have to inform you that your message could not be delivered.',
      '',
      '--b1',
      `Content-Type: ${type}`,
      '',
      groups,
      '',
      '--b1',
      'Content-Type: message/rfc822',
      '',
      'Return-Path: <bounces+of-another-message@bounces.example.com>',
      'Subject: Your trip',
      '',
      'Dear Clara',
      '',
      '--b1--',
      '',
    ].join('\r\n'),
  );

const ABOUT = 'Reporting-MTA: dns; mx.example.org\r\nArrival-Date: Mon, 30 Nov 2026 02:58:00 +0000';
const recipient = (action: string, status: string) =>
  `Final-Recipient: rfc822; clara@example.org\r\nAction: ${action}\r\nStatus: ${status}\r\nDiagnostic-Code: smtp; 550\r\n 5.1.1 no such user`;

describe('a report of delivery', () => {
  it('a report is read with the token of its address, and with the state of each recipient', async () => {
    const mail = report(
      `${ABOUT}\r\n\r\n${recipient('FAILED', '5.1.1 (no such user)')}\r\n\r\n${recipient('delayed', '4.4.1')}`,
    );
    expect(await readBounceMail(mail)).toEqual({
      tokens: [TOKEN],
      recipients: [
        { action: 'failed', status: '5.1.1' },
        { action: 'delayed', status: '4.4.1' },
      ],
    });
  });

  it.each([
    `Delivered-To: ${ADDRESS}`,
    `X-Original-To: ${ADDRESS.toUpperCase()}`,
    `To: undisclosed-recipients:;\r\nEnvelope-To: <${ADDRESS}>`,
  ])('%j names the token', async (headers) => {
    const mail = await readBounceMail(report(`${ABOUT}\r\n\r\n${recipient('failed', '5.1.1')}`, { headers }));
    expect(mail?.tokens).toEqual([TOKEN]);
  });

  it('a token in the returned text, and one of another form, are not read', async () => {
    const headers = 'To: bounces+short@bounces.example.com';
    const mail = await readBounceMail(report(`${ABOUT}\r\n\r\n${recipient('failed', '5.1.1')}`, { headers }));
    expect(mail?.tokens).toEqual([]);
  });

  it.each([
    ['a mail that is no report', Buffer.from(`To: ${ADDRESS}\r\nSubject: I am on holiday\r\n\r\nBack on Monday`)],
    ['a report of another kind', report('Feedback-Type: abuse', { type: 'message/feedback-report' })],
    ['no mail at all', Buffer.from([0, 255, 13, 10, 13, 10, 0])],
    ['headers that are too long', Buffer.from(`To: ${'x'.repeat(40_000)}\r\n\r\n`)],
  ])('%s is none', async (_, mail) => {
    expect(await readBounceMail(mail)).toBeNull();
  });

  it('a hostile mail of 256 KiB is read in linear time', async () => {
    const size = 256 * 1024;
    const fill = (text: string) => Buffer.from(text.repeat(Math.ceil(size / text.length))).subarray(0, size);
    const hostile = [
      fill(`Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n`),
      fill(`--b1\r\nContent-Type: multipart/mixed; boundary=b1\r\n\r\n`),
      Buffer.concat([Buffer.from('Content-Type: text/html\r\n\r\n'), fill('<')]),
      Buffer.concat([Buffer.from('Content-Type: text/html\r\n\r\n'), fill('<a href="&#')]),
      Buffer.concat([Buffer.from('Content-Type: text/plain; format=flowed\r\n\r\n'), fill(' \r\n')]),
      Buffer.concat([Buffer.from('To: '), fill('<"('), Buffer.from('\r\n\r\n')]),
      Buffer.concat([Buffer.from('Subject: '), fill('=?utf-8?q?=').subarray(0, 30_000), Buffer.from('\r\n\r\n')]),
      Buffer.concat([Buffer.from('X: y'), fill('\r\n z').subarray(0, 30_000), Buffer.from('\r\n\r\n')]),
      Buffer.concat([Buffer.from('To: a'), fill('<"(,;:').subarray(0, 30_000), Buffer.from('\r\n\r\n')]),
      report(fill('\r\n\r\nAction: failed').toString()),
      report(`${ABOUT}\r\n\r\n${fill(' \t').toString()}`),
    ];
    const times: number[] = [];
    for (const mail of hostile) {
      const started = performance.now();
      await readBounceMail(mail.subarray(0, size));
      times.push(Math.round(performance.now() - started));
    }
    expect(times.filter((milliseconds) => milliseconds > 1_000)).toEqual([]);
  });
});

describe('the kind of a bounce', () => {
  it.each([
    [[['failed', '5.1.1']], 'hard'],
    [[['failed', '5.2.2']], 'hard'],
    [[['failed', '4.4.7']], 'soft'],
    [[['failed', '5.7.1']], 'rejected'],
    [[['failed', '5.6.0']], 'rejected'],
    [[['delayed', '4.4.1']], null],
    [[['delivered', '2.0.0']], null],
    [[['failed', '2.0.0']], null],
    [[['', '']], null],
    [[], null],
    [
      [
        ['failed', '5.1.1'],
        ['failed', '5.1.2'],
      ],
      'hard',
    ],
    [
      [
        ['failed', '5.1.1'],
        ['delivered', '2.0.0'],
      ],
      'soft',
    ],
  ])('%j is %s', (recipients, kind) => {
    expect(bounceKindOf(recipients.map(([action = '', status = '']) => ({ action, status })))).toBe(kind);
  });
});
