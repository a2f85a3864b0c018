import { applyDecorators } from '@nestjs/common';
import { dataOf, KeptAsData } from '../../../platform/http/dto.js';
import { Optional } from '../../../platform/http/fields.js';
import { OVERHEAD_BYTES } from '../../../platform/keys/aes-gcm.js';
import { CheckedText } from '../../../platform/http/trade-fields.js';

const MAX_PLAINTEXT_BYTES = 65_536;
const MAX_CONTEXT_BYTES = 1_024;
const MAX_CIPHERTEXT_LENGTH = Math.ceil((MAX_PLAINTEXT_BYTES + OVERHEAD_BYTES) / 3) * 4;
/** Limits the request body; a longer ciphertext is rejected earlier. */
const MAX_BODY_BYTES = 512 * 1024;

/**
 * Accepts any text of at most 65,536 bytes in UTF-8, including NUL. Rejects lone surrogates, because the conversion would
 * change them.
 */
function Plaintext(): PropertyDecorator {
  const fits = (text: string) => text.isWellFormed() && Buffer.byteLength(text) <= MAX_PLAINTEXT_BYTES;
  const message = `$property must be well-formed Unicode of at most ${MAX_PLAINTEXT_BYTES} bytes in UTF-8`;
  return applyDecorators(
    KeptAsData({ maxBytes: MAX_BODY_BYTES }),
    CheckedText('isPlaintext', fits, { max: MAX_PLAINTEXT_BYTES, message }),
  );
}

/** Accepts any text, because decryption rejects every invalid ciphertext with the same error. */
function AnyCiphertext(): PropertyDecorator {
  const message = '$property must be a string';
  return applyDecorators(
    KeptAsData({ maxBytes: MAX_BODY_BYTES }),
    CheckedText('isCiphertext', () => true, { max: MAX_BODY_BYTES, message }),
  );
}

/** A ciphertext in a response; the decorator states its maximum length. */
function Ciphertext(): PropertyDecorator {
  return CheckedText('isCiphertext', () => true, { max: MAX_CIPHERTEXT_LENGTH, message: '$property must be base64' });
}

/** The context of a value, which is bound to its ciphertext and is not encrypted. */
function Context(): PropertyDecorator {
  const fits = (text: string) => text !== '' && text.isWellFormed() && Buffer.byteLength(text) <= MAX_CONTEXT_BYTES;
  const message = `$property must be well-formed Unicode of 1 to ${MAX_CONTEXT_BYTES} bytes in UTF-8`;
  return CheckedText('isContext', fits, { max: MAX_CONTEXT_BYTES, message });
}

/** A value to encrypt. */
export class EncryptRequest {
  /**
   * Any well-formed Unicode text of at most 65,536 bytes in UTF-8. It may be empty or contain NUL characters.
   * @example "P<D<<MUSTERMANN<<ERIKA"
   */
  @Plaintext()
  plaintext: string;

  /**
   * Context of the value, such as the ID of its record: 1 to 1,024 bytes in UTF-8. The ciphertext decrypts only with the same
   * context, byte for byte, so a ciphertext copied to another record cannot be decrypted there. It is neither secret nor
   * stored.
   */
  @Optional()
  @Context()
  context?: string;
}

/** An encrypted value. */
class Encrypted {
  /**
   * Opaque base64 text of nonce (12 bytes), encrypted value and authentication tag (16 bytes). The client stores it;
   * the vault does not.
   */
  @Ciphertext()
  ciphertext: string;
}

/** A value that was encrypted by the same vault. */
export class DecryptRequest {
  /**
   * A value that the same vault encrypted. Copy it from `data.ciphertext` of `POST /vault/v1/{vaultSlug}/encrypt` or of
   * rewrap: keys are random and differ between installations, so the example shows the form only.
   * @example "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGw=="
   */
  @AnyCiphertext()
  ciphertext: string;

  /** The context used to encrypt the value; absent if there was none. */
  @Optional()
  @Context()
  context?: string;
}

/** A decrypted value. */
class Decrypted {
  /** The original value, byte for byte. */
  @Plaintext()
  plaintext: string;
}

export class EncryptedEnvelope extends dataOf(Encrypted) {}
export class DecryptedEnvelope extends dataOf(Decrypted) {}
