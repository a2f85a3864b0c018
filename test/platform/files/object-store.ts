import { createHash } from 'node:crypto';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { S3Client } from '@aws-sdk/client-s3';
import S3rver, { type StoredObject } from 's3rver';
import { closeAfterTests } from '../../setup/running.js';

const CREDENTIALS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

export interface ObjectStore {
  /** `http://127.0.0.1:<port>` */
  url: string;
  bucket: string;
  /** The settings of a service that stores its files there. */
  env: Record<string, string>;
  /** Does things that the service never does, such as damaging an object. */
  client: S3Client;
}

let draft = 0;

/** An S3-compatible store on loopback with one bucket. */
export async function startObjectStore(bucket = 'travel-files'): Promise<ObjectStore> {
  const directory = mkdtempSync(join(tmpdir(), 'travel-objects-'));
  const configureBuckets = [{ name: bucket }];
  const server = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets });
  const drafts = mkdtempSync(join(tmpdir(), 'travel-object-drafts-'));
  server.store.putObject = (object) => publish(server, object, join(drafts, String((draft += 1))));
  const { port } = await server.run();
  // The service does so for its own client.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const url = `http://127.0.0.1:${port}`;
  const client = new S3Client({ endpoint: url, region: 'us-east-1', forcePathStyle: true, credentials: CREDENTIALS });
  closeAfterTests(async () => {
    client.destroy();
    await server.close();
    for (const folder of [directory, drafts]) rmSync(folder, { recursive: true, force: true });
  });
  const env = {
    FILES_URL: `s3://${bucket}/production/files`,
    FILES_S3_ENDPOINT: url,
    FILES_S3_PATH_STYLE: 'true',
    FILES_S3_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    FILES_S3_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  };
  return { url, bucket, client, env };
}

/**
 * As in S3, an object appears when all of its bytes have arrived and match the announced hash. s3rver writes it in place and
 * unverified.
 */
async function publish({ store }: S3rver, { bucket, key, content, metadata }: StoredObject, path: string) {
  const { 'content-length': announced, 'x-amz-checksum-sha256': checksum } = content.headers;
  const [md5, sha256] = [createHash('md5'), createHash('sha256')];
  let size = 0;
  try {
    const counted = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        for (const hash of [md5, sha256]) hash.update(chunk);
        size += chunk.length;
        yield chunk;
      }
    };
    await pipeline(content, counted, createWriteStream(path));
    const isWhole =
      size === Number(announced) && (checksum ?? sha256.copy().digest('base64')) === sha256.digest('base64');
    if (!isWhole) throw Object.assign(new Error('The content has another hash'), { code: 'BadDigest' });
    const target = store.getResourcePath(bucket, key, 'object');
    await mkdir(dirname(target), { recursive: true });
    await rename(path, target);
  } finally {
    await rm(path, { force: true });
  }
  const digest = md5.digest('hex');
  await store.putMetadata(bucket, key, metadata, digest);
  return { size, md5: digest };
}
