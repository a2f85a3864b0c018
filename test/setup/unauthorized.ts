const SENT = 'is required, sent as Authorization: Bearer';

/** The message of every 401 of a surface, whatever is wrong with the credential. */
export const UNAUTHORIZED_TEXT = {
  staff: `A staff session token or staff API token ${SENT}`,
  connect: `A platform API key or OAuth access token ${SENT}`,
  vault: `A platform API key ${SENT}`,
  realtime: `A platform API key ${SENT}`,
  data: `A platform API key ${SENT}`,
} as const;
