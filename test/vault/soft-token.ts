import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT } from '../launcher/folders.js';
import { closeAfterTests } from '../setup/running.js';

const LABEL = 'travel';
const PIN = '648219';
const LIBRARIES = [
  '/usr/lib/softhsm/libsofthsm2.so',
  '/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so',
  '/usr/lib/aarch64-linux-gnu/softhsm/libsofthsm2.so',
  '/usr/lib64/pkcs11/libsofthsm2.so',
  '/opt/homebrew/lib/softhsm/libsofthsm2.so',
];
/** Kept between runs, because it is compiled. */
const PACKAGES = join(PROJECT, 'node_modules/.cache/pkcs11js');

/** Creates an AES key and a generic secret with the same label. */
const CREATE_KEYS = `
const pkcs11js = require('pkcs11js');
const [library, token, pin, label, extractable] = process.argv.slice(1);
const p = new pkcs11js.PKCS11();
p.load(library);
p.C_Initialize();
const slot = p.C_GetSlotList(true).find((one) => p.C_GetTokenInfo(one).label.trim() === token);
const session = p.C_OpenSession(slot, pkcs11js.CKF_SERIAL_SESSION | pkcs11js.CKF_RW_SESSION);
p.C_Login(session, pkcs11js.CKU_USER, pin);
const attributes = [
  { type: pkcs11js.CKA_LABEL, value: label },
  { type: pkcs11js.CKA_TOKEN, value: true },
  { type: pkcs11js.CKA_PRIVATE, value: true },
  { type: pkcs11js.CKA_SENSITIVE, value: true },
  { type: pkcs11js.CKA_EXTRACTABLE, value: extractable === 'true' },
  { type: pkcs11js.CKA_VALUE_LEN, value: 32 },
];
const uses = (...types) => types.map((type) => ({ type, value: true }));
p.C_GenerateKey(session, { mechanism: pkcs11js.CKM_AES_KEY_GEN }, [
  ...attributes, ...uses(pkcs11js.CKA_ENCRYPT, pkcs11js.CKA_DECRYPT),
]);
p.C_GenerateKey(session, { mechanism: pkcs11js.CKM_GENERIC_SECRET_KEY_GEN }, [
  ...attributes, ...uses(pkcs11js.CKA_SIGN, pkcs11js.CKA_VERIFY),
]);
p.C_Logout(session);
p.C_CloseSession(session);
p.C_Finalize();
`;

/** A token of SoftHSM in a separate folder. */
export class SoftToken {
  readonly folder: string;
  private readonly pinFile: string;

  private constructor(private readonly library: string) {
    this.folder = mkdtempSync(join(tmpdir(), 'travel-token-'));
    closeAfterTests(async () => rmSync(this.folder, { recursive: true, force: true }));
    mkdirSync(join(this.folder, 'tokens'));
    this.pinFile = join(this.folder, 'pin');
    writeFileSync(this.pinFile, `${PIN}\n`, { mode: 0o600 });
    writeFileSync(this.configuration, `directories.tokendir = ${this.folder}/tokens\nobjectstore.backend = file\n`);
    const pins = ['--pin', PIN, '--so-pin', '87654321'];
    run('softhsm2-util', ['--init-token', '--free', '--label', LABEL, ...pins], this.environment);
  }

  /** A token, or the program that is missing. */
  static create(): SoftToken | string {
    const library = LIBRARIES.find((path) => existsSync(path));
    if (!library || !succeeds(() => run('softhsm2-util', ['--version']))) return 'SoftHSM';
    if (!existsSync(join(PACKAGES, 'node_modules/pkcs11js/build/Release/pkcs11.node')) && !succeeds(install)) {
      return 'pkcs11js (it could not be installed and compiled)';
    }
    return new SoftToken(library);
  }

  /** The variables of the service, but for the id of the primary key. */
  get settings(): Record<string, string> {
    return {
      ...this.environment,
      KEK_PROVIDER: 'pkcs11',
      KEK_PKCS11_LIBRARY: this.library,
      KEK_PKCS11_TOKEN: LABEL,
      KEK_PKCS11_PIN_FILE: this.pinFile,
    };
  }

  createKeys(label: string, { extractable = false } = {}): void {
    const words = ['-e', CREATE_KEYS, this.library, LABEL, PIN, label, String(extractable)];
    run(process.execPath, words, this.environment);
  }

  private get configuration(): string {
    return join(this.folder, 'softhsm2.conf');
  }

  private get environment(): Record<string, string> {
    return { SOFTHSM2_CONF: this.configuration, NODE_PATH: join(PACKAGES, 'node_modules') };
  }
}

/** Installs the package in a separate folder, as an operator does, because the service does not depend on it. */
function install(): void {
  mkdirSync(PACKAGES, { recursive: true });
  writeFileSync(join(PACKAGES, 'package.json'), JSON.stringify({ private: true, allowScripts: { pkcs11js: true } }));
  run('npm', ['install', '--fetch-retries=0', '--prefix', PACKAGES, 'pkcs11js@2.1.7']);
}

function run(program: string, words: string[], variables: Record<string, string> = {}): void {
  execFileSync(program, words, { env: { ...process.env, NODE_OPTIONS: '', ...variables }, stdio: 'pipe' });
}

function succeeds(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
