import { applyDecorators } from '@nestjs/common';
import { dataOf, KeptAsData } from '../../../platform/http/dto.js';
import { Worded } from '../../../platform/http/trade-fields.js';
import { OVERHEAD_BYTES } from '../keys/aes-gcm.js';

const MAX_PLAINTEXT_BYTES = 65_536;
const MAX_CIPHERTEXT_LENGTH = Math.ceil((MAX_PLAINTEXT_BYTES + OVERHEAD_BYTES) / 3) * 4;
/** Of the request's body; a longer ciphertext never gets here. */
const MAX_BODY_BYTES = 512 * 1024;

/** Text of at most 65,536 bytes in UTF-8: any of it, NUL included, but a lone surrogate would come back changed. */
function Plaintext(): PropertyDecorator {
  const fits = (text: string) => text.isWellFormed() && Buffer.byteLength(text) <= MAX_PLAINTEXT_BYTES;
  const message = `$property must be well-formed Unicode of at most ${MAX_PLAINTEXT_BYTES} bytes in UTF-8`;
  return applyDecorators(
    KeptAsData({ maxBytes: MAX_BODY_BYTES }),
    Worded('isPlaintext', fits, { max: MAX_PLAINTEXT_BYTES, message }),
  );
}

/** Any text: whatever is wrong with a ciphertext is for decryption to say, in always the same words. */
function AnyCiphertext(): PropertyDecorator {
  const message = '$property must be a string';
  return applyDecorators(
    KeptAsData({ maxBytes: MAX_BODY_BYTES }),
    Worded('isCiphertext', () => true, { max: MAX_BODY_BYTES, message }),
  );
}

/** A ciphertext as it is handed out; the decorator states its bound. */
function Ciphertext(): PropertyDecorator {
  return Worded('isCiphertext', () => true, { max: MAX_CIPHERTEXT_LENGTH, message: '$property must be base64' });
}

export class EncryptRequest {
  /** Any well-formed Unicode text of at most 65,536 bytes in UTF-8; it may be empty and may hold NUL.
   * @example "P<D<<MUSTERMANN<<ERIKA" */
  @Plaintext()
  plaintext: string;
}

class Encrypted {
  /** Opaque; base64 of a nonce (12 bytes), the ciphertext and a tag (16 bytes). */
  @Ciphertext()
  ciphertext: string;
}

export class DecryptRequest {
  /** What encrypt has answered for the same vault. Keys are random and differ from one installation to the next, so
   * this example shows the form only: put an answer of encrypt in its place.
   * @example "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGw==" */
  @AnyCiphertext()
  ciphertext: string;
}

class Decrypted {
  /** What was encrypted, to the byte. */
  @Plaintext()
  plaintext: string;
}

export class EncryptedEnvelope extends dataOf(Encrypted) {}
export class DecryptedEnvelope extends dataOf(Decrypted) {}
