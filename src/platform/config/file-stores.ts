import { resolve } from 'node:path';
import type { S3Location } from './settings.js';

/** A store of files: a folder or a part of a bucket. */
export type FileStoreLocation = { folder: string } | S3Location;

/** The access to the S3-compatible store. */
export interface S3Access {
  /** Null: AWS. */
  endpoint: string | null;
  region: string;
  pathStyle: boolean;
  /** If null, the SDK uses its default chain. */
  credentials: { accessKeyId: string; secretAccessKey: string } | null;
  encryption: 'AES256' | 'aws:kms' | null;
  kmsKeyId: string | null;
}

export interface FileStores {
  files: FileStoreLocation;
  /** The store read for files that `files` does not have; null except during a move. */
  filesFallback: FileStoreLocation | null;
  /** Access to the S3-compatible store; null if neither store is a bucket. */
  s3: S3Access | null;
}

interface Given {
  dataDir: string;
  filesDir: string | null;
  filesUrl: S3Location | 'local' | null;
  filesFallback: S3Location | 'local' | null;
  filesS3Endpoint: string | null;
  filesS3Region: string | null;
  filesS3PathStyle: boolean;
  filesS3AccessKeyId: string | null;
  filesS3SecretAccessKey: string | null;
  filesS3Encryption: string;
  filesS3KmsKeyId: string | null;
}

const ENDPOINT_REGION = 'us-east-1';

/** The configured stores of files. Settings that contradict each other are reported as faults. */
export function readFileStores(given: Given, faults: string[]): FileStores {
  const folder = { folder: resolve(given.filesDir ?? `${given.dataDir}/files`) };
  const locationOf = (chosen: S3Location | 'local') => (chosen === 'local' ? folder : chosen);
  const files = locationOf(given.filesUrl ?? 'local');
  const filesFallback = given.filesFallback ? locationOf(given.filesFallback) : null;
  if (filesFallback && JSON.stringify(filesFallback) === JSON.stringify(files)) {
    faults.push(
      'FILES_FALLBACK: is the store of the files itself; expected another one; for example FILES_URL=s3://travel-files and FILES_FALLBACK=local',
    );
  }
  const isUsed = [files, filesFallback].some((location) => location !== null && 'bucket' in location);
  return { files, filesFallback, s3: isUsed ? readAccess(given, faults) : null };
}

/**
 * On Node 20 the SDK warns of its later versions, but the lock file decides which version runs. It reads this setting from the
 * environment only.
 */
export function acceptNodeVersion(): void {
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
}

function readAccess(given: Given, faults: string[]): S3Access {
  const { filesS3Endpoint: endpoint, filesS3AccessKeyId: accessKeyId, filesS3SecretAccessKey: secretAccessKey } = given;
  const region = given.filesS3Region ?? (endpoint === null ? null : ENDPOINT_REGION);
  if (region === null) {
    faults.push(
      'FILES_S3_REGION: is missing; expected the region of the bucket, or FILES_S3_ENDPOINT; for example FILES_S3_REGION=eu-central-1',
    );
  }
  if ((accessKeyId === null) !== (secretAccessKey === null)) {
    const [missing, present] =
      accessKeyId === null ? ['ACCESS_KEY_ID', 'SECRET_ACCESS_KEY'] : ['SECRET_ACCESS_KEY', 'ACCESS_KEY_ID'];
    faults.push(
      `FILES_S3_${missing}: is missing beside FILES_S3_${present}; expected both, or neither for the default chain of the AWS SDK; for example FILES_S3_${missing}=<the other half of the key>`,
    );
  }
  const encryption = given.filesS3Encryption === 'default' ? null : (given.filesS3Encryption as 'AES256' | 'aws:kms');
  if (given.filesS3KmsKeyId !== null && encryption !== 'aws:kms') {
    faults.push(
      'FILES_S3_KMS_KEY_ID: is not used; expected FILES_S3_ENCRYPTION=aws:kms beside it; for example FILES_S3_ENCRYPTION=aws:kms',
    );
  }
  return {
    endpoint,
    region: region ?? ENDPOINT_REGION,
    pathStyle: given.filesS3PathStyle,
    credentials: accessKeyId !== null && secretAccessKey !== null ? { accessKeyId, secretAccessKey } : null,
    encryption,
    kmsKeyId: given.filesS3KmsKeyId,
  };
}
