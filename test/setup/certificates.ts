import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

/** Certificate and private key in PEM. */
export interface Identity {
  cert: string;
  key: string;
}

/** A certificate authority made for a test; it signs with ECDSA P-256 and SHA-256. */
export class TestAuthority {
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly cert = this.certificate('Test authority', this.keys.publicKey, { isAuthority: true, names: [] });

  /** A certificate for servers and clients with these host names and addresses. */
  issue(...names: string[]): Identity {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const cert = this.certificate(names[0] ?? 'no host name', publicKey, { isAuthority: false, names });
    return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
  }

  private certificate(subject: string, key: KeyObject, content: { isAuthority: boolean; names: string[] }): string {
    const signed = sequence(
      tagged(0xa0, integer(Buffer.from([2]))),
      integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
      ECDSA_WITH_SHA256,
      nameOf('Test authority'),
      sequence(utcTime(-1), utcTime(2)),
      nameOf(subject),
      key.export({ type: 'spki', format: 'der' }),
      tagged(0xa3, sequence(...extensionsOf(content))),
    );
    const signature = sign('sha256', signed, this.keys.privateKey);
    const der = sequence(signed, ECDSA_WITH_SHA256, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
    const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
    return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
  }
}

function extensionsOf({ isAuthority, names }: { isAuthority: boolean; names: string[] }): Buffer[] {
  const basic = sequence(BASIC_CONSTRAINTS, TRUE, octets(sequence(...(isAuthority ? [TRUE] : []))));
  if (names.length === 0) return [basic];
  const general = names.map((name) =>
    isIP(name) === 4 ? tagged(0x87, Buffer.from(name.split('.').map(Number))) : tagged(0x82, Buffer.from(name)),
  );
  return [basic, sequence(SUBJECT_ALTERNATIVE_NAMES, octets(sequence(...general)))];
}

/** One element in DER (X.690). */
function tagged(tag: number, ...content: Buffer[]): Buffer {
  const value = Buffer.concat(content);
  const { length } = value;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), value]);
}

function sequence(...content: Buffer[]): Buffer {
  return tagged(0x30, ...content);
}

function integer(value: Buffer): Buffer {
  return tagged(0x02, value);
}

function octets(value: Buffer): Buffer {
  return tagged(0x04, value);
}

function nameOf(commonName: string): Buffer {
  return sequence(tagged(0x31, sequence(COMMON_NAME, tagged(0x0c, Buffer.from(commonName)))));
}

function utcTime(daysFromNow: number): Buffer {
  const iso = new Date(Date.now() + daysFromNow * 86_400_000).toISOString();
  return tagged(0x17, Buffer.from(`${iso.slice(2, 19).replace(/\D/g, '')}Z`));
}

const TRUE = Buffer.from([0x01, 0x01, 0xff]);
/** 1.2.840.10045.4.3.2 */
const ECDSA_WITH_SHA256 = sequence(Buffer.from('06082a8648ce3d040302', 'hex'));
/** 2.5.4.3, 2.5.29.19 and 2.5.29.17 */
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const BASIC_CONSTRAINTS = Buffer.from('0603551d13', 'hex');
const SUBJECT_ALTERNATIVE_NAMES = Buffer.from('0603551d11', 'hex');
