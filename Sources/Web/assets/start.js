// Whoever works here already goes on to the own page, and an address from when stores worked at this one is passed on.
const {kind} = JSON.parse(localStorage.getItem('kurir.account')) ?? {};
if (kind === 'courier' && !location.hash) location.replace('/courier');
else if (kind || location.hash) location.replace(`/store${location.search}${location.hash}`);
