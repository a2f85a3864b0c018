/* The parts of s3rver that tests use; the package has no types. */
declare module 's3rver' {
  import type { Readable } from 'node:stream';

  interface StoredObject {
    bucket: string;
    key: string;
    /** The request. */
    content: Readable & { headers: Record<string, string | undefined> };
    metadata: object;
  }

  interface Store {
    putObject(object: StoredObject): Promise<{ size: number; md5: string }>;
    putMetadata(bucket: string, key: string, ...content: [metadata: object, md5: string]): Promise<void>;
    /** The path of what is stored for an object. */
    getResourcePath(bucket: string, key: string, resource: 'object'): string;
  }

  class S3rver {
    constructor(options: {
      address: string;
      port: number;
      silent: boolean;
      directory: string;
      configureBuckets: { name: string }[];
    });
    readonly store: Store;
    run(): Promise<{ address: string; port: number }>;
    close(): Promise<void>;
  }

  export { S3rver as default, type StoredObject };
}
