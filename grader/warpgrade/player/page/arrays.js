// Arrays as grids, the chosen element with its accesses, and what a step touches as a table.
import {READ, SHARED} from './recording.js';
import {elementName, lastAtMost, threadName} from './moments.js';
import {make, table} from './panels.js';
import {Grid, touchedBy} from './grid.js';

const MOST_CHANGES = 4096; // accesses between two moments; after more, all elements are drawn again
const NONE = new Map();

export class ArraysPanel {
  constructor(root, player) {
    this.player = player;
    const used = player.recording.arrays.filter((array) => array.space === SHARED || array.cells?.size);
    this.grids = used.sort((a, b) => b.space - a.space).map((array) => new Grid(array, player));
    root.append(...this.grids.map((grid) => grid.node));
    if (!this.grids.length) root.append(make('p', {class: 'note'}, 'This block touches no array.'));
    root.addEventListener('click', (event) => {
      const cell = event.target.closest?.('[data-index]');
      if (cell) player.chooseElement(player.recording.arrays[Number(cell.dataset.array)], Number(cell.dataset.index));
    });
  }

  update(moment) {
    const {thread, chosen} = this.player;
    const changed = this.changed(moment), touched = touchedBy(this.player.moments, moment);
    for (const grid of this.grids) {
      const now = touched.get(grid.array) ?? NONE;
      grid.update(moment, changed && (changed.get(grid.array) ?? []), now, this.wanted(grid, now));
    }
    for (const grid of this.grids) grid.reveal(); // after all that changes the page: where things are is found once
    this.before = {moment, thread, chosen};
  }

  // The element to be seen of an array: the chosen one when it is chosen or touched, else one that the chosen thread
  // touches, else the first that the step touches.
  wanted({array}, now) {
    const {chosen, thread} = this.player;
    const index = chosen?.array === array ? chosen.index : undefined;
    if (index !== undefined && (now.has(index) || this.before?.chosen !== chosen)) return index;
    const [first] = now.keys();
    return [...now].find(([, each]) => each.threads.includes(thread))?.[0] ?? first;
  }

  // By array, the elements that look otherwise than before: accessed between the two moments, or chosen. Null: any may.
  changed(moment) {
    const {recording, chosen} = this.player, {before} = this;
    if (!before) return null;
    const from = recording.logOf[Math.min(before.moment, moment)], end = recording.logOf[Math.max(before.moment, moment) + 1];
    if (end - from > MOST_CHANGES) return null;
    const cells = new Set(recording.log.cell.subarray(from, end));
    const out = new Map();
    for (const {array, index} of [...Array.from(cells, (cell) => recording.cellOf[cell]), before.chosen, chosen].filter(Boolean)) {
      if (!out.has(array)) out.set(array, []);
      out.get(array).push(index);
    }
    return out;
  }
}

// The chosen element: value, last writer, its accesses.
export class ElementPanel {
  constructor(root, player) {
    this.player = player;
    this.body = make('div');
    root.append(this.body);
    this.root = root;
  }
  update(moment) {
    const {chosen, moments, story, thread} = this.player;
    this.root.hidden = !chosen;
    if (!chosen) return;
    const {array, index} = chosen;
    const state = moments.element(array, index, moment);
    const name = story.element(array, index);
    const value = state.known ? story.value(array, index, state.low, state.high) : state.unwritten ? 'never written' : 'not accessed by this block';
    const writer = state.writer
      ? state.writer.step < 0 ? 'Written before this recording begins.'
        : `Last written by ${story.thread(state.writer.thread)} at line ${moments.line(state.writer.step)}.`
      : state.unwritten ? 'Nothing has written it yet.' : 'This block has not written it.';
    const cell = array.cells?.get(index);
    const rows = cell === undefined ? [] : this.history(cell, moment);
    this.body.replaceChildren(make('p', {class: 'value'}, make('code', {}, name), ' = ', make('b', {}, value)), make('p', {}, writer),
      make('p', {class: 'jumps'},
        this.player.button('next write', 'w', () => this.player.go(moments.nextWrite(array, index, moment, 1))),
        this.player.button('next access by another thread', 'o', () => this.player.go(moments.nextOther(array, index, thread, moment, 1)))),
      make('table', {}, make('tbody', {}, ...rows)));
  }
  who(threads) {
    const {head} = this.player;
    if (threads.length === 1) return `thread ${threadName(head, threads[0])}`;
    if (threads.length === 2) return `threads ${threads.map((each) => threadName(head, each)).join(' and ')}`;
    return `${threads.length} threads, ${threadName(head, threads[0])} to ${threadName(head, threads.at(-1))},`;
  }
  // Accesses around this moment.
  history(cell, moment) {
    const {moments, recording, story} = this.player;
    const {startOf, entries, log} = recording;
    const all = Array.from(entries.subarray(startOf[cell], startOf[cell + 1])).filter((entry) => log.step[entry] !== 0xffffffff);
    const {array, index} = recording.cellOf[cell];
    const rows = []; // lanes of one step that do the same, together
    let written = !moments.element(array, index, -1).unwritten || all.length < startOf[cell + 1] - startOf[cell];
    for (const entry of all) {
      written ||= log.kind[entry] !== READ;
      const row = {step: log.step[entry], kind: log.kind[entry], value: !written ? 'what nothing has written' : story.value(array, index, log.low[entry], log.high[entry]), threads: [log.thread[entry]]};
      const before = rows.at(-1);
      if (before && before.step === row.step && before.kind === row.kind && before.value === row.value) before.threads.push(row.threads[0]);
      else rows.push(row);
    }
    const from = Math.max(0, lastAtMost(rows, moment, (row) => row.step) - 4);
    return rows.slice(from, from + 8).map(({step, kind, value, threads}) => make('tr', {class: step === moment ? 'fresh' : step > moment ? 'unknown' : ''},
      make('td', {}, this.player.link(`step ${step + 1}`, step)), make('td', {}, `phase ${moments.phase(step) + 1}`),
      make('td', {}, `${this.who(threads)} ${threads.length > 1 ? story.verb(kind).slice(0, -1) : story.verb(kind)} ${value}`),
      make('td', {}, `line ${moments.line(step)}`)));
  }
}

// What this step touches, as a table: the twin of the grids.
export class TouchedPanel {
  constructor(root, player) {
    this.player = player;
    this.body = make('tbody');
    root.append(table(['thread', 'does', 'element', 'value'], this.body));
    this.root = root;
    root.addEventListener('toggle', () => this.update(player.moment));
  }
  update(moment) {
    if (!this.root.open) return;
    const {moments, recording, story} = this.player;
    const all = moments.touched(moment).filter((each) => each.array.space !== 2);
    this.body.replaceChildren(...all.map(({array, index, kind, thread}) => {
      const state = moments.element(array, index, moment);
      return make('tr', {}, make('td', {}, threadName(recording.head, thread)), make('td', {}, story.verb(kind)),
        make('td', {}, make('code', {}, elementName(array, index))), make('td', {}, state.known ? story.value(array, index, state.low, state.high) : 'never written'));
    }));
  }
}
