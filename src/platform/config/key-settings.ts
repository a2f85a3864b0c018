import { choice, optionalText, wholeNumber } from './settings.js';

const FILE = { expected: 'the path of a file', form: /^[^\0]{1,500}$/ };

/** Settings of the key-encryption keys and of vault keys. `VAULT_KEK_<id>` is in keks.ts. */
export const keySettings = {
  kekProvider: choice(
    {
      name: 'KEK_PROVIDER',
      purpose:
        'Where the primary key-encryption key is: in a variable `VAULT_KEK_<id>`, in the file `KEK_FILE` or in a PKCS#11 token (`KEK_PKCS11_*`)',
      example: 'file',
      fallback: 'environment',
    },
    ['environment', 'file', 'pkcs11'],
  ),
  kekFile: optionalText({
    name: 'KEK_FILE',
    purpose:
      'File of the key-encryption keys, with mode 0400, 0440 or 0600: `{"primary": "<id>", "keys": {"<id>": "<32 bytes in base64>"}}`',
    example: '/run/secrets/keks.json',
    ...FILE,
  }),
  kekPkcs11Library: optionalText({
    name: 'KEK_PKCS11_LIBRARY',
    purpose:
      'PKCS#11 library of a token with key-encryption keys; it needs the package `pkcs11js`, which the operator installs. The token also unwraps keys if `KEK_PROVIDER` is another one',
    example: '/usr/lib/softhsm/libsofthsm2.so',
    ...FILE,
  }),
  kekPkcs11Token: optionalText({
    name: 'KEK_PKCS11_TOKEN',
    purpose: 'Label of the PKCS#11 token',
    example: 'travel',
    expected: '1 to 32 characters',
    form: /^.{1,32}$/,
  }),
  kekPkcs11PinFile: optionalText({
    name: 'KEK_PKCS11_PIN_FILE',
    purpose: 'File with the user PIN of the PKCS#11 token, with mode 0400, 0440 or 0600',
    example: '/run/secrets/pin',
    ...FILE,
  }),
  vaultKekPrimary: optionalText({
    name: 'VAULT_KEK_PRIMARY',
    isCore: true,
    purpose:
      'Id of the `VAULT_KEK_<id>` that wraps new keys, or label of the keys of the token; required in production unless the keys are in a file',
    example: '2026a',
    expected: '1 to 32 letters or digits',
    form: /^[A-Za-z0-9]{1,32}$/,
  }),
  vaultUpsert: optionalText({
    name: 'VAULT_UPSERT',
    purpose: 'The first encrypt under a new slug creates that vault; absent: only outside production',
    example: 'false',
    expected: 'true or false',
    form: /^(true|false)$/,
  }),
  vaultKeyDestructionDays: wholeNumber({
    name: 'VAULT_KEY_DESTRUCTION_DAYS',
    purpose:
      'Days between the request to destroy a key version of a vault and its destruction, in which it can be cancelled',
    example: '30',
    fallback: '7',
    min: 1,
    max: 90,
  }),
};
