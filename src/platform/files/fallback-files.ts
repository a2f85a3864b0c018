import type { OnApplicationShutdown } from '@nestjs/common';
import { FileStore, type MovableFiles, type OpenFile, type StoredFile, type StoreFailure } from './file-store.js';

/** Files in one store, and in another one from which they are being moved. */
export class FallbackFiles extends FileStore implements OnApplicationShutdown {
  constructor(
    private readonly files: MovableFiles,
    private readonly fallback: MovableFiles,
  ) {
    super();
  }

  async put(bytes: Uint8Array): Promise<StoredFile> {
    return this.files.put(bytes);
  }

  async has(key: string): Promise<boolean> {
    for (const store of this.order()) if (await store.has(key)) return true;
    return false;
  }

  async open(key: string): Promise<OpenFile | null> {
    for (const store of this.order()) {
      const file = await store.open(key);
      if (file) return file;
    }
    return null;
  }

  failure(): StoreFailure | null {
    return this.files.failure() ?? this.fallback.failure();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.files.close(), this.fallback.close()]);
  }

  /** Between the first two attempts the file may have been moved and deleted from the second store. */
  private order(): MovableFiles[] {
    return [this.files, this.fallback, this.files];
  }
}
