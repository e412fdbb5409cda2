// Two players side by side: in step, and where their results differ. Each stands in a frame of its own.
import {elementName, elementType, lastAtMost, shown} from './moments.js';

const MOST = 5; // differing elements that are named

// The moment of `to` that corresponds to one of `from`: the same warp at the same line for the same time where both have
// the same source, else the same warp in the same phase, as far on.
export function counterpart(from, to, moment) {
  const warp = Math.min(from.recording.warp[moment], to.recording.warps - 1);
  const phase = from.moments.phase(moment - 1);
  if (from.head.source === to.head.source) {
    const line = from.moments.line(moment);
    const nth = visits(from, warp, moment).filter((step) => from.moments.line(step) === line).length;
    const there = visits(to, warp, to.moments.last).filter((step) => to.moments.line(step) === line);
    if (there.length >= nth && nth) return there[nth - 1];
  }
  const own = stepsIn(from, warp, phase), others = stepsIn(to, warp, phase);
  if (!others.length) return Math.max(0, to.moments.stepOf(warp, to.moments.last));
  const share = own.length > 1 ? Math.max(0, lastAtMost(own, moment)) / (own.length - 1) : 0;
  return others[Math.round(share * (others.length - 1))];
}

const visits = ({recording}, warp, moment) => {
  const steps = recording.stepsOf[warp];
  return Array.from(steps.slice(0, lastAtMost(steps, moment) + 1));
};

const stepsIn = ({recording, moments}, warp, phase) =>
  Array.from(recording.stepsOf[warp]).filter((step) => moments.phase(step - 1) === phase);

// Elements of global arrays of the same name whose last values differ: [{left, right, index}], arrays in their order.
export function differences(left, right) {
  const out = [];
  for (const array of left.recording.arrays.filter((each) => each.space === 0)) {
    const other = right.recording.arrays.find((each) => each.space === 0 && each.name === array.name);
    if (!other) continue;
    const indices = new Set([...(array.cells?.keys() ?? []), ...(other.cells?.keys() ?? [])]);
    for (const index of [...indices].sort((a, b) => a - b)) {
      const [a, b] = [left.moments.element(array, index, left.moments.last), right.moments.element(other, index, right.moments.last)];
      if ((a.writer || b.writer) && (Boolean(a.writer) !== Boolean(b.writer) || a.low !== b.low || a.high !== b.high))
        out.push({left: array, right: other, index, values: [a, b]});
    }
  }
  return out;
}

class Comparison {
  constructor(frames) {
    this.frames = frames;
    this.inStep = document.getElementById('in-step');
    this.players = [];
  }

  async start() {
    this.players = await Promise.all(this.frames.map(async (frame) => {
      if (!frame.contentWindow.player) await new Promise((done) => frame.addEventListener('load', done, {once: true}));
      return frame.contentWindow.player;
    }));
    this.players.forEach((player, side) => { player.followed = () => this.follow(side); });
    addEventListener('keydown', (event) => this.key(event));
    this.inStep.addEventListener('change', () => this.follow(0));
    this.name();
    this.follow(Math.max(0, this.players.findIndex((player) => player.head.findings?.length))); // both at the finding
    document.body.classList.add('ready');
    return this;
  }

  // The other side goes where the one has gone.
  follow(side) {
    if (!this.inStep.checked || this.following) return;
    this.following = true;
    const [from, to] = side ? [...this.players].reverse() : this.players;
    to.thread = Math.min(from.thread, to.threads() - 1);
    to.go(counterpart(from, to, from.moment));
    this.following = false;
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || /^(INPUT|SELECT|BUTTON|SUMMARY)$/.test(event.target.tagName)) return;
    const sides = this.inStep.checked ? this.players.slice(0, 1) : this.players;
    for (const player of sides) {
      const act = player.commands().find(([key]) => key === event.key)?.[2];
      if (!act) return;
      event.preventDefault();
      act();
    }
  }

  // Both to the last write of a differing element.
  show({left, right, index}) {
    this.following = true;
    this.players.forEach((player, side) => {
      const array = side ? right : left;
      const {writer} = player.moments.element(array, index, player.moments.last);
      if (writer && writer.step >= 0) { player.thread = writer.thread; player.moment = writer.step; }
      player.chooseElement(array, index);
    });
    this.following = false;
  }

  name() {
    const found = differences(...this.players), list = document.getElementById('differences');
    const value = (array, index, state) => (state.writer ? shown(elementType(array, index), state.low, state.high) : 'not written');
    const rows = found.slice(0, MOST).map((each) => {
      const row = document.createElement('li'), button = document.createElement('button');
      button.type = 'button';
      button.textContent = elementName(each.left, each.index);
      button.addEventListener('click', () => this.show(each));
      row.append(button, ` ${value(each.left, each.index, each.values[0])} on the left, ${value(each.right, each.index, each.values[1])} on the right`);
      return row;
    });
    document.getElementById('summary').textContent = found.length
      ? `${found.length.toLocaleString('en')} elements that a block writes end with different values.`
      : 'Both blocks leave the same values.';
    list.append(...rows);
  }
}

export function open() { return new Comparison([...document.querySelectorAll('iframe')]).start(); }
