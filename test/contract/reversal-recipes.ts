import { CHANNELS, ENTRIES, newChannel } from '../action-ledger/ledger.js';
import { entryOf, REASON } from '../action-ledger/reversals.js';
import { type Recipe, staff } from './recipe.js';

export const reversalRecipes: Record<string, Recipe> = {
  [`POST ${ENTRIES}/{id}/reversals`]: async (app) => {
    const channelId = await newChannel(app);
    await app.as('owner').patch(`${CHANNELS}/${channelId}`, { description: 'Changed' });
    const { id, action } = await entryOf(app, channelId, 'distribution.channel.update');
    return {
      ...staff(app),
      parameters: { id },
      body: { reason: REASON },
      action: `${action}.reverse`,
      subject: () => ({ type: 'channel', id: channelId }),
    };
  },
};
