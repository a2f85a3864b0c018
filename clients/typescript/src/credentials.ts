/** Seconds before its end at which an access token is replaced. */
const EARLY_SECONDS = 60;

/** A source of tokens. The client asks it before each request, and once more with `isRejected` after a 401. */
export type TokenSource = (state: { isRejected: boolean }) => Promise<string>;

/** The ID and secret of an OAuth client; with `scope` its tokens have these scopes only, separated by spaces. */
export interface OAuthClient {
  clientId: string;
  clientSecret: string;
  scope?: string;
}

/** A token, a function that returns one, or an OAuth client, for which access tokens are requested and replaced. */
export type Credential = string | TokenSource | OAuthClient;

interface AccessToken {
  access_token: string;
  expires_in: number;
}

/** Makes one source of tokens from any credential. */
export function tokenSource(
  credential: Credential,
  { baseUrl, fetch }: { baseUrl: string; fetch: Fetch },
): TokenSource {
  if (typeof credential === 'string') return () => Promise.resolve(credential);
  if (typeof credential === 'function') return credential;
  return accessTokens(credential, { baseUrl, fetch });
}

export type Fetch = (request: Request) => Promise<Response>;

/** Requests of the same moment share one token, and one request for it. */
function accessTokens(
  { clientId, clientSecret, scope }: OAuthClient,
  { baseUrl, fetch }: { baseUrl: string; fetch: Fetch },
): TokenSource {
  let current: Promise<{ token: string; until: number }> | null = null;
  const request = async () => {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    });
    if (scope !== undefined) body.set('scope', scope);
    const response = await fetch(new Request(`${baseUrl}/connect/v1/oauth/token`, { method: 'POST', body }));
    if (!response.ok) throw new Error(`No access token was issued: ${response.status} ${await response.text()}`);
    const { access_token: token, expires_in: seconds } = (await response.json()) as AccessToken;
    return { token, until: Date.now() + (seconds - EARLY_SECONDS) * 1000 };
  };
  const renewed = () => {
    const asked = request();
    asked.catch(() => (current = null));
    return (current = asked);
  };
  return async ({ isRejected }) => {
    const known = current;
    if (known !== null) {
      const { token, until } = await known;
      if (!isRejected && until > Date.now()) return token;
      // Another request has replaced it meanwhile.
      if (current !== null && current !== known) return (await current).token;
    }
    return (await renewed()).token;
  };
}
