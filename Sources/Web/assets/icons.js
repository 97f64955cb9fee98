// Signs for what is done, drawn: characters look different on each phone, and some are painted in colours.
import {s} from './element.js';

const lines = {
  phone: 'M7 4 4 5c0 8 7 15 15 15l1-3-4-3-2 2c-2-1-5-4-6-6l2-2-3-4z',
  write: 'M4 5h16v11h-9l-5 4v-4H4z',
  way: 'M6 18 18 6M9 6h9v9',
  change: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  camera: 'M3 8h4l2-3h6l2 3h4v11H3zM12 16.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z',
  scan: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5M8 12h8',
  place: 'M12 21c5-5 7-8 7-11a7 7 0 0 0-14 0c0 3 2 6 7 11zM12 12.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  unplaced: 'M12 21c5-5 7-8 7-11a7 7 0 0 0-14 0c0 3 2 6 7 11zM4 3l16 18',
  again: 'M20 4v6h-6M19.5 10A8 8 0 1 0 20 14',
  close: 'm6 6 12 12M18 6 6 18',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  filter: 'M4 7h16M7 12h10M10 17h4',
  below: 'm6 9 6 6 6-6',
  leave: 'M10 4H5v16h5M9 12h11M16 8l4 4-4 4',
  // The views, by their names.
  board: 'm4 8 8-4 8 4v8l-8 4-8-4zM4 8l8 4 8-4M12 12v8',
  partners: 'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c0-8 13-8 13 0M16 4.5a3.5 3.5 0 0 1 0 6M18 14.5q3.5 1.5 3.5 5.5',
  figures: 'M5 20v-6M12 20V5M19 20v-9',
  day: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1 1M18 18l1 1M19 5l-1 1M6 18l-1 1',
  news: 'M4 5h16v14H4zM8 9h8M8 12h8M8 15h4',
  settings: 'M4 7h9M19 7h1M16 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM4 17h1M11 17h9M8 19.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  road: 'M8 4 4 20M16 4l4 16M12 4v3M12 11v2M12 17v3',
  stores: 'M4 10v10h16V10M3 10l2-6h14l2 6zM9 20v-6h6v6',
  papers: 'M3 6h18v12H3zM7 10h4M7 14h7M17 10h.01',
};

// Views that have the sign of something else.
const like = {earnings: 'figures', jobs: 'board', map: 'place', messages: 'write'};

export const drawn = (name, line) => s('svg', {class: `icon icon-${name}`, viewBox: '0 0 24 24', 'aria-hidden': 'true'}, s('path', {d: line}));

export const icon = (name) => drawn(name, lines[name] ?? lines[like[name]]);
