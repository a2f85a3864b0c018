import type { TestClient } from '../setup/client.js';

export interface LanguagePage {
  data: { code: string; name: string }[];
  totalCount: number;
  nextCursor?: string;
}

export function codesOf({ data }: LanguagePage): string[] {
  return data.map(({ code }) => code);
}

/** Every page from the first to the one without a nextCursor. */
export async function walk(client: TestClient, path: string, query: string): Promise<LanguagePage[]> {
  const pages: LanguagePage[] = [];
  let cursor: string | undefined;
  do {
    const { body } = await client.get<LanguagePage>(
      `${path}?${query}${cursor === undefined ? '' : `&cursor=${cursor}`}`,
    );
    pages.push(body);
    cursor = body.nextCursor;
  } while (cursor !== undefined && pages.length < 1000);
  return pages;
}
