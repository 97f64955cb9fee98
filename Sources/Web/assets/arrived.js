// Whether something has arrived that was sent so long ago that the server has forgotten its key: sent again, it would take effect twice.
// That is seen in what has come of it. What most steps do they can do only once.
import {get} from './ask.js';

// Milliseconds for which the server certainly knows a key, and by which its clock may be another.
const [lasting, apart] = [23 * 3_600_000, 120_000];

const finders = {
  async say({id, account, body}, since) {
    const {items} = await get(`/v1/conversations/${id}/messages`, {limit: 200});
    return items.find(({from, text, at}) => from.id === account && text && text === body.text && Date.parse(at) > since);
  },
  async fail({id, body}, since) {
    const job = await get(`/v1/deliveries/${id}`);
    return job.last_attempt?.reason === body.reason && Date.parse(job.last_attempt.at) > since ? job : undefined;
  },
};

/** The answer to what was first sent at `tried`, if that is so long ago and has arrived. */
export const answerTo = async (item) =>
  (Date.now() - item.tried > lasting ? finders[item.action]?.(item, item.tried - apart) : undefined);
