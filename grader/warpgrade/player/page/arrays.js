// Arrays as grids of their own shape: values, what this step touches, last writers, what nothing has written.
import {READ, SHARED} from './recording.js';
import {elementName, elementType, lastAtMost, shown, threadName} from './moments.js';
import {make, setClass, setText} from './panels.js';

const MOST = 64; // rows and columns of a grid
const FLAT = 32; // columns of an array of one dimension: one for each bank

// The part of an array that a grid shows: {columns, rows, top, left, width, height}.
export function window_(array) {
  const columns = array.extents.length > 1 ? array.extents.at(-1) : Math.min(FLAT, array.extents[0] ?? 1);
  const count = array.extents.reduce((a, b) => a * b, 1);
  const rows = Math.ceil(count / columns);
  let top = Infinity, left = Infinity, bottom = -1, right = -1;
  for (const index of array.cells?.keys() ?? []) {
    const row = Math.floor(index / columns), column = index % columns;
    top = Math.min(top, row); bottom = Math.max(bottom, row);
    left = Math.min(left, column); right = Math.max(right, column);
  }
  if (array.space === SHARED || columns * rows <= 1024) { top = left = 0; bottom = rows - 1; right = columns - 1; }
  if (bottom < 0) return {columns, rows, count, top: 0, left: 0, width: 0, height: 0};
  return {columns, rows, count, top, left, width: Math.min(MOST, right - left + 1), height: Math.min(MOST, bottom - top + 1)};
}

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
    const touched = new Map();
    for (const each of this.player.moments.touched(moment)) {
      const key = `${each.array.number}/${each.index}`;
      const kind = each.kind === READ ? 'read' : 'written';
      touched.set(key, {kind: touched.get(key)?.kind === 'written' ? 'written' : kind, threads: [...(touched.get(key)?.threads ?? []), each.thread]});
    }
    for (const grid of this.grids) grid.update(moment, touched);
  }
}

class Grid {
  constructor(array, player) {
    this.array = array;
    this.player = player;
    this.view = window_(array);
    const {width, height} = this.view;
    this.cells = [];
    const rows = Array.from({length: height}, (_, y) => this.row(y, width));
    const heads = Array.from({length: width}, (_, x) => make('span', {class: 'axis'}, array.columns?.[this.view.left + x].name ?? String(this.view.left + x)));
    this.note = make('span', {class: 'note'});
    this.grid = make('div', {class: 'grid', style: `--columns:${width}`, role: 'img', tabindex: 0}, make('span', {class: 'axis'}), ...heads, ...rows.flat());
    const where = array.space === SHARED ? 'shared memory' : 'global memory';
    this.node = make('section', {class: 'array'}, make('h3', {}, array.name + array.extents.slice(0, array.columns ? -1 : undefined).map((each) => `[${each}]`).join(''),
      make('small', {}, ` ${where}${array.note ? ` (${array.note})` : ''}`)), this.note, make('div', {class: 'scroll'}, this.grid));
  }
  row(y, width) {
    const {columns, top, left, count} = this.view;
    const label = String(this.array.first + (top + y) * (this.array.extents.length > 1 ? 1 : columns));
    const cells = Array.from({length: width}, (_, x) => {
      const index = (top + y) * columns + left + x;
      if (index >= count) return make('span', {class: 'cell none'});
      const cell = make('span', {class: 'cell', 'data-array': this.array.number, 'data-index': index});
      this.cells.push({cell, index});
      return cell;
    });
    return [make('span', {class: 'axis'}, label), ...cells];
  }
  update(moment, touched) {
    const {moments, thread, chosen, story} = this.player;
    const found = this.player.foundElements();
    let reads = 0, writes = 0;
    for (const {cell, index} of this.cells) {
      const key = `${this.array.number}/${index}`;
      const state = moments.element(this.array, index, moment);
      const now = touched.get(key);
      if (now?.kind === 'read') reads++;
      if (now?.kind === 'written') writes++;
      const names = ['cell', state.known ? 'known' : this.array.space === SHARED ? 'never' : 'untouched'];
      if (state.known && !state.touched) names.push('ahead');
      if (now) names.push(now.kind);
      if (now?.threads.includes(thread)) names.push('mine');
      if (chosen && chosen.array === this.array && chosen.index === index) names.push('chosen');
      if (found.has(key)) names.push('raced');
      setClass(cell, names.join(' '));
      setText(cell, state.known ? shorter(shown(elementType(this.array, index), state.low, state.high)) : '');
    }
    const parts = [reads ? `${reads} read` : '', writes ? `${writes} written` : ''].filter(Boolean);
    setText(this.note, parts.length ? `this step: ${parts.join(', ')}` : '');
    this.grid.setAttribute('aria-label', `${this.array.name}: ${parts.join(', ') || 'not touched by this step'}. The table of touched elements has each value.`);
    void story;
  }
}

function shorter(text) {
  if (text.length <= 6) return text;
  const number = Number(text);
  if (!Number.isFinite(number)) return text.slice(0, 6);
  const short = String(Number(number.toPrecision(3)));
  return short.length <= 7 ? short : number.toExponential(1).replace('+', '');
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
    const {chosen, moments, recording, story, thread} = this.player;
    this.root.hidden = !chosen;
    if (!chosen) return;
    const {array, index} = chosen;
    const state = moments.element(array, index, moment);
    const name = story.element(array, index);
    const value = state.known ? story.value(array, index, state.low, state.high) : 'never written';
    const writer = state.writer
      ? state.writer.step < 0 ? 'Written before this recording begins.'
        : `Last written by ${story.thread(state.writer.thread)} at line ${moments.line(state.writer.step)}.`
      : array.space === SHARED ? 'Nothing has written it yet.' : 'This block has not written it.';
    const cell = array.cells?.get(index);
    const rows = cell === undefined ? [] : this.history(cell, moment);
    this.body.replaceChildren(make('p', {class: 'value'}, make('code', {}, name), ' = ', make('b', {}, value)), make('p', {}, writer),
      make('p', {class: 'jumps'},
        this.player.button('next write', 'w', () => this.player.go(moments.nextWrite(array, index, moment, 1))),
        this.player.button('next access by another thread', 'o', () => this.player.go(moments.nextOther(array, index, thread, moment, 1)))),
      make('table', {}, make('tbody', {}, ...rows)));
    void recording;
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
    let written = array.space !== SHARED || all.length < startOf[cell + 1] - startOf[cell];
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
    root.append(make('table', {}, make('thead', {}, make('tr', {}, ...['thread', 'does', 'element', 'value'].map((each) => make('th', {scope: 'col'}, each)))), this.body));
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
