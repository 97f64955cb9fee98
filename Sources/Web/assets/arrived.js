// Whether something has arrived that was sent so long ago that the server has forgotten its key: sent again, it would take effect twice.
// That is seen in what has come of it. What was opened again is delivered again: so steps are looked for in the history.
import {all, get} from './ask.js';
import * as shelf from './shelf.js';

// Milliseconds by which the server's clock may be another.
const apart = 120_000;

const finders = {
  // A picture hangs on one message at the most. Words that are the same were said later than anything that was there, or had been answered,
  // before these went out for the first time: so somebody may say the same twice.
  async say({id, account, body, pictures = [], after}, since) {
    const files = await Promise.all(pictures.map(async ({name}) => (await shelf.find(name))?.file));
    const isNew = ({seq, at}) => (after === undefined ? Date.parse(at) > since : seq > after);
    const isIt = ({text, file, ...message}) => (files.length ? file && files.includes(file.id) : text && text === body.text && isNew(message));
    let cursor;
    do {
      const {items, next_cursor: next} = await get(`/v1/conversations/${id}/messages`, {limit: 200, cursor});
      const found = items.find((message) => message.from.id === account && isIt(message));
      if (found) return found;
      cursor = items.length && isNew(items.at(-1)) && next;
    } while (cursor);
    return undefined;
  },
};

/** The delivery, if that step of it was taken. Of what one does not see any more the server says so. */
async function step({id, account, action, body}, since) {
  const steps = await all(`/v1/deliveries/${id}/history`).catch((error) => (error.status === 404 ? [] : Promise.reject(error)));
  return steps.some((one) => one.action === action && one.actor.id === account && Date.parse(one.at) > since && (action !== 'fail' || one.reason === body.reason))
    ? get(`/v1/deliveries/${id}`) : undefined;
}

const finderOf = ({action, path}) => finders[action] ?? (path ? undefined : step);

/** The answer to what was first sent at `tried`, if it has arrived. */
export const answerTo = (item) => finderOf(item)?.(item, item.tried - apart);
