import { createHash, type KeyObject, verify } from 'node:crypto';

/**
 * Whether the DKIM signature of a mail is valid, as a receiver verifies it (RFC 6376, relaxed/relaxed, rsa-sha256). `publicKeyOf`
 * stands for the DNS: the key of a selector and a domain, or null.
 */
export function isSigned(mail: Buffer, publicKeyOf: (selector: string, domain: string) => KeyObject | null): boolean {
  const text = mail.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  const fields = text.slice(0, end).split(/\r\n(?![ \t])/);
  const signature = fields.find((field) => /^dkim-signature:/i.test(field));
  if (signature === undefined) return false;
  const tags = tagsOf(signature.slice(signature.indexOf(':') + 1));
  if (tags['v'] !== '1' || tags['a'] !== 'rsa-sha256' || tags['c'] !== 'relaxed/relaxed') return false;
  const bodyHash = createHash('sha256')
    .update(relaxedBody(text.slice(end + 4)), 'latin1')
    .digest('base64');
  if (bodyHash !== tags['bh']) return false;
  const names = (tags['h'] ?? '').split(':');
  if (!names.includes('from')) return false;
  const signed = names
    .map((name) => fields.findLast((field) => nameOf(field) === name))
    .filter((field) => field !== undefined);
  const unsigned = relaxedField(signature.replace(/([;\s]b=)[^;]*/, '$1'));
  const input = [...signed.map((field) => `${relaxedField(field)}\r\n`), unsigned].join('');
  const key = publicKeyOf(tags['s'] ?? '', tags['d'] ?? '');
  return key !== null && verify('sha256', Buffer.from(input, 'latin1'), key, Buffer.from(tags['b'] ?? '', 'base64'));
}

function tagsOf(value: string): Record<string, string> {
  const pairs = value.split(';').map((tag) => tag.replace(/\s/g, '').split(/=(.*)/s));
  return Object.fromEntries(pairs.map(([name = '', text = '']) => [name, text]));
}

function nameOf(field: string): string {
  return field.slice(0, field.indexOf(':')).trim().toLowerCase();
}

function relaxedField(field: string): string {
  const value = field.slice(field.indexOf(':') + 1).replace(/\r\n/g, '');
  return `${nameOf(field)}:${value.replace(/[ \t]+/g, ' ').trim()}`;
}

function relaxedBody(body: string): string {
  const lines = body.split('\r\n').map((line) => line.replace(/[ \t]+/g, ' ').replace(/ $/, ''));
  while (lines.at(-1) === '') lines.pop();
  return lines.map((line) => `${line}\r\n`).join('');
}
