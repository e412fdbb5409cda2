// One array as a grid of its own shape. Of a large one it shows a part, which follows what is looked at.
import {READ, SHARED} from './recording.js';
import {elementType, shown} from './moments.js';
import {make, setText} from './panels.js';

const MOST = 64; // rows and columns of a grid
const FLAT = 32; // columns of an array of one dimension: one for each bank
const SMALL = 1024; // elements of an array that is shown whole

// The rows and columns that there is something to see of: all of shared memory, else what the block accesses.
export function region(array) {
  const columns = array.extents.length > 1 ? array.extents.at(-1) : Math.min(FLAT, array.extents[0] ?? 1);
  const count = array.extents.reduce((a, b) => a * b, 1);
  const rows = Math.ceil(count / columns);
  if (array.space === SHARED || columns * rows <= SMALL) return {columns, count, top: 0, left: 0, bottom: rows - 1, right: columns - 1};
  let top = Infinity, left = Infinity, bottom = -1, right = -1;
  for (const index of array.cells?.keys() ?? []) {
    const row = Math.floor(index / columns), column = index % columns;
    top = Math.min(top, row); bottom = Math.max(bottom, row);
    left = Math.min(left, column); right = Math.max(right, column);
  }
  return bottom < 0 ? {columns, count, top: 0, left: 0, bottom, right} : {columns, count, top, left, bottom, right};
}

// Where a window of `size` begins that shows `at`, of positions from `first` to `last`.
export const around = (at, size, first, last) => Math.max(first, Math.min(at - (size >> 1), last - size + 1));

export class Grid {
  constructor(array, player) {
    this.array = array;
    this.player = player;
    this.region = region(array);
    const {top, left, bottom, right} = this.region;
    this.top = top;
    this.left = left;
    this.width = Math.min(MOST, right - left + 1);
    this.height = Math.min(MOST, bottom - top + 1);
    this.heads = Array.from({length: this.width}, () => make('span', {class: 'axis'}));
    this.labels = Array.from({length: this.height}, () => make('span', {class: 'axis'}));
    this.squares = Array.from({length: this.width * this.height}, () => ({node: document.createElement('span'), name: '', text: ''}));
    this.note = make('span', {class: 'note'});
    this.grid = make('div', {class: 'grid', style: `--columns:${this.width}`, role: 'img', tabindex: 0}, make('span', {class: 'axis'}), ...this.heads,
      ...this.labels.flatMap((label, y) => [label, ...this.squares.slice(y * this.width, (y + 1) * this.width).map((each) => each.node)]));
    this.scroll = make('div', {class: 'scroll'}, this.grid);
    const where = array.space === SHARED ? 'shared memory' : 'global memory';
    this.node = make('section', {class: 'array', style: `contain-intrinsic-height: auto ${3 + 1.05 * this.height}rem`}, make('h3', {}, array.name + array.extents.slice(0, array.columns ? -1 : undefined).map((each) => `[${each}]`).join(''),
      make('small', {}, ` ${where}${array.note ? ` (${array.note})` : ''}`)), this.note, this.scroll);
    this.number();
  }

  // Numbers at the edges, and which element each square is.
  number() {
    const {array, top, left} = this, {columns} = this.region;
    this.heads.forEach((head, x) => setText(head, array.columns?.[left + x].name ?? String(left + x)));
    this.labels.forEach((label, y) => setText(label, String(array.first + (top + y) * (array.extents.length > 1 ? 1 : columns))));
    this.squares.forEach((square, i) => {
      square.index = (top + Math.floor(i / this.width)) * columns + left + i % this.width;
      square.node.setAttribute('data-array', array.number);
      square.node.setAttribute('data-index', square.index);
    });
  }

  // The square of an element; undefined outside the part that is shown.
  square(index) {
    const {columns} = this.region, x = index % columns - this.left, y = Math.floor(index / columns) - this.top;
    return x >= 0 && x < this.width && y >= 0 && y < this.height ? this.squares[y * this.width + x] : undefined;
  }

  // Moves the part that is shown to an element outside it.
  moveTo(index) {
    const {columns, top, left, bottom, right} = this.region;
    const row = Math.floor(index / columns), column = index % columns;
    if (this.square(index) || row < top || row > bottom || column < left || column > right) return false;
    this.top = around(row, this.height, top, bottom);
    this.left = around(column, this.width, left, right);
    this.number();
    return true;
  }

  // `indices`: the elements that may look otherwise than before, null: all. `now`: what this step touches of this array.
  // `wanted`: the element to be seen.
  update(moment, indices, now, wanted) {
    this.wanted = wanted;
    const moved = wanted !== undefined && this.moveTo(wanted);
    const squares = moved || !indices ? this.squares : indices.map((index) => this.square(index)).filter(Boolean);
    for (const square of squares) this.draw(square, moment, now.get(square.index));
    const count = (kind) => [...now.values()].filter((each) => each.kind === kind).length;
    const touched = ['read', 'written'].filter(count).map((kind) => `${count(kind)} ${kind}`).join(', ');
    setText(this.note, [touched && `this step: ${touched}`, this.part()].filter(Boolean).join(' · '));
    this.grid.setAttribute('aria-label', `${this.array.name}: ${touched || 'not touched by this step'}. The table of touched elements has each value.`);
  }

  // What is shown where there is more.
  part() {
    const {top, left, bottom, right} = this.region, {first, extents} = this.array;
    const rows = this.height <= bottom - top ? `rows ${this.labels[0].textContent} to ${this.labels.at(-1).textContent} of ${extents.length > 1 ? first + bottom + 1 : this.region.count}` : '';
    const columns = this.width <= right - left ? `columns ${this.left} to ${this.left + this.width - 1} of ${right + 1}` : '';
    return [rows, columns].filter(Boolean).join(', ');
  }

  draw(square, moment, now) {
    const {moments, thread, chosen} = this.player, {array} = this, {index, node} = square;
    let name = 'cell none', text = '';
    if (index < this.region.count) {
      const state = moments.element(array, index, moment);
      const names = ['cell', state.known ? 'known' : state.unwritten ? 'never' : 'untouched'];
      if (state.known && !state.touched) names.push('ahead');
      if (now) names.push(now.kind);
      if (now?.threads.includes(thread)) names.push('mine');
      if (chosen && chosen.array === array && chosen.index === index) names.push('chosen');
      if (this.player.foundElements().has(`${array.number}/${index}`)) names.push('raced');
      name = names.join(' ');
      text = state.known ? shorter(shown(elementType(array, index), state.low, state.high)) : '';
    }
    if (square.name !== name) node.className = square.name = name;
    if (square.text !== text) node.textContent = square.text = text;
  }

  // Scrolls sideways to the element to be seen.
  reveal() {
    const node = this.wanted === undefined ? undefined : this.square(this.wanted)?.node;
    if (!node) return;
    const {scrollLeft, clientWidth} = this.scroll, at = node.offsetLeft - this.grid.offsetLeft;
    if (at < scrollLeft || at + node.offsetWidth > scrollLeft + clientWidth) this.scroll.scrollLeft = at - clientWidth / 2;
  }
}

// What a step touches, by array and element: {kind, threads}.
export function touchedBy(moments, step) {
  const out = new Map();
  for (const {array, index, kind, thread} of moments.touched(step)) {
    if (!out.has(array)) out.set(array, new Map());
    const elements = out.get(array), known = elements.get(index);
    if (!known) elements.set(index, {kind: kind === READ ? 'read' : 'written', threads: [thread]});
    else {
      if (kind !== READ) known.kind = 'written';
      known.threads.push(thread);
    }
  }
  return out;
}

function shorter(text) {
  if (text.length <= 6) return text;
  const number = Number(text);
  if (!Number.isFinite(number)) return text.slice(0, 6);
  const short = String(Number(number.toPrecision(3)));
  return short.length <= 7 ? short : number.toExponential(1).replace('+', '');
}
